import { readFile } from 'node:fs/promises';
import { embeddedManifest, parseManifest } from '../../geodata/manifest.ts';
import type { GeodataManifest } from '../../model/geodata.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandContext } from './context.ts';

/** The list of a whole catalogue has some ten thousand bytes. */
const maxBytes = 1_048_576;

/**
 * The generations that this call knows: those of the program, or of the file that `--geodata-manifest` names. A flag and
 * nothing else: a program that can change settings must not be able to change what is fetched and trusted.
 * @throws ExitError when the file cannot be read or is no manifest.
 */
export async function readManifest(file: string | undefined): Promise<GeodataManifest> {
  if (file === undefined) return embeddedManifest;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new ExitError('The file of --geodata-manifest cannot be read.', 78);
  }
  const manifest = text.length > maxBytes ? undefined : parseManifest(text);
  if (manifest === undefined) {
    throw new ExitError('The file of --geodata-manifest is not a list of generations.', 78);
  }
  return manifest;
}

export async function manifestOption({ geodataManifest: file }: CommandContext) {
  return file === undefined ? {} : { geodata: { manifest: await readManifest(file) } };
}
