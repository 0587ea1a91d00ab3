import { join } from 'node:path';
import { manifestSchema, type GeodataManifest } from '../model/geodata.ts';
import { parseJson } from '../model/parse-json.ts';

/**
 * The generations this version of the program knows beside the builtin one. Nothing else is ever fetched, whoever asks;
 * `serve --geodata-manifest` replaces the list, for maintainers.
 */
export const embeddedManifest: GeodataManifest = { schema: 1, endpoints: [], generations: [] };

/** Parses a manifest; undefined when the text is not one. */
export function parseManifest(text: string): GeodataManifest | undefined {
  const result = manifestSchema.safeParse(parseJson(text));
  return result.success ? result.data : undefined;
}

/** The path of an unfinished generation. */
export function partialPath(geodataDirectory: string, oid: string): string {
  return join(geodataDirectory, 'partial', oid);
}
