import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inputs, installedVersion } from './inputs.ts';

/** They lay out the file and the indexes in it. */
const writers = ['better-sqlite3', 'flatbush', 'geokdbush', 'kdbush'];
const builder = join(import.meta.dirname, 'build-generation.ts');

/** Hash of everything that the bytes of the generation depend on: our sources and the versions of the packages. */
export function buildKey(): string {
  const hash = createHash('sha256');
  for (const file of sourcesOf(builder)) hash.update(readFileSync(file));
  for (const name of [...inputs.map((input) => input.name), ...writers]) {
    hash.update(`${name} ${installedVersion(name)}\n`);
  }
  // The names of countries in their own languages.
  hash.update(`cldr ${process.versions['cldr']}\n`);
  return hash.digest('hex');
}

/** A file and all files of ours that it imports, directly or not, in the order of the imports. */
function sourcesOf(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)) {
    sourcesOf(join(dirname(file), name!), known);
  }
  return known;
}
