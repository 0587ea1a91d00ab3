/** `npm run geodata`: makes the builtin generation unless it is there and made by what is here. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { renameDurably, temporaryBeside } from '../../storage/atomic-file.ts';
import { builtinGeodataPath, hashFileOf } from '../generation.ts';
import { buildKey } from './build-key.ts';

const path = builtinGeodataPath();
/** Tells what the generation beside it was made from. */
const keyPath = `${path}.key`;

const oldestBuildMs = 10 * 60 * 1_000;

const key = buildKey();
if (!isUpToDate()) await build();

/** A generation without its key, or with another one's, is made again; so is one that was cut short. */
function isUpToDate(): boolean {
  try {
    statSync(hashFileOf(path));
    return readFileSync(keyPath, 'utf8') === keyOf(statSync(path).size);
  } catch {
    return false; // Not there.
  }
}

function keyOf(bytes: number): string {
  return `${key} ${bytes}\n`;
}

/** Whoever builds at the same time makes the same file: the last one to rename it wins, and nobody sees half of it. */
async function build(): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  removeLeftovers();
  const started = performance.now();
  process.stderr.write(`geodata: making ${basename(path)}, once, some ten seconds …\n`);
  const temporary = temporaryBeside(path);
  try {
    const { buildGeneration } = await import('./build-generation.ts');
    buildGeneration(temporary);
    const { size } = statSync(temporary);
    const sha256 = createHash('sha256').update(readFileSync(temporary)).digest('hex');
    rmSync(keyPath, { force: true });
    await renameDurably(temporary, path);
    writeFileSync(hashFileOf(path), `${sha256}\n`);
    writeFileSync(keyPath, keyOf(size));
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    process.stderr.write(`geodata: ${(size / 1e6).toFixed(1)} MB in ${seconds} s\n`);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** What builds that were killed have left behind; one that is running is younger. */
function removeLeftovers(): void {
  const directory = dirname(path);
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.tmp'))) {
    const file = join(directory, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > oldestBuildMs) rmSync(file, { force: true });
  }
}
