import { join } from 'node:path';
import { manifestSchema, type GeodataManifest, type HostedGeneration } from '../model/geodata.ts';
import { parseJson } from '../model/parse-json.ts';

/**
 * The generations this version of the program knows beside the one it ships with, which describes itself. What is not
 * listed here is never fetched, whoever asks; `serve --geodata-manifest` puts another list in its place, for maintainers.
 */
export const embeddedManifest: GeodataManifest = { schema: 1, endpoints: [], generations: [] };

/** Reads the text of a manifest; undefined when it is none. */
export function parseManifest(text: string): GeodataManifest | undefined {
  const result = manifestSchema.safeParse(parseJson(text));
  return result.success ? result.data : undefined;
}

/** The generation whose file has this SHA-256, in lower-case hex. */
export function findByObject(manifest: GeodataManifest, oid: string): HostedGeneration | undefined {
  return manifest.generations.find(({ artifacts }) =>
    artifacts.some((artifact) => artifact.oid === oid),
  );
}

/** Where the file of this SHA-256 is put on its way in. */
export function partialPath(geodataDirectory: string, oid: string): string {
  return join(geodataDirectory, 'partial', oid);
}
