import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { renameDurably, syncFile, temporaryBeside } from '../../storage/atomic-file.ts';
import { hashFileOf } from '../generation.ts';

export interface EnsureOptions {
  /** Where the generation belongs. Beside it lie its SHA-256 and what it was made from. */
  readonly path: string;
  /** Stands for everything that its bytes depend on. */
  readonly key: string;
  /** Writes the file; it is not there yet. */
  readonly build: (path: string) => Promise<void> | void;
  /** Reports progress; not called when there is nothing to do. */
  readonly say: (line: string) => void;
}

const oldestBuildMs = 10 * 60 * 1_000;

/**
 * Makes a generation unless it is there and was made with this key. A build that is killed leaves the old one in place.
 * Simultaneous builds make the same file: the last rename wins, and no reader sees half of it.
 */
export async function ensureGeneration(options: EnsureOptions): Promise<void> {
  if (isUpToDate(options)) return;
  const { path, build, say } = options;
  mkdirSync(dirname(path), { recursive: true });
  removeLeftovers(dirname(path));
  say(`making ${basename(path)}, once, some ten seconds …`);
  const started = performance.now();
  const temporary = temporaryBeside(path);
  try {
    await build(temporary);
    // SQLite was told not to.
    syncFile(temporary);
    await putInPlace(temporary, options);
  } finally {
    rmSync(temporary, { force: true });
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  say(`${(statSync(path).size / 1e6).toFixed(1)} MB in ${seconds} s`);
}

/** One without its key, or with another one's, is made again; so is one that was cut short. */
function isUpToDate({ path, key }: EnsureOptions): boolean {
  try {
    statSync(hashFileOf(path));
    return readFileSync(keyFileOf(path), 'utf8') === keyLine(key, statSync(path).size);
  } catch {
    return false; // Not there.
  }
}

async function putInPlace(temporary: string, options: EnsureOptions): Promise<void> {
  const { path, key } = options;
  const bytes = readFileSync(temporary);
  // Without a key until all is in place: should this be the end, it is made again.
  rmSync(keyFileOf(path), { force: true });
  try {
    await renameDurably(temporary, path);
  } catch (error) {
    // Windows does not replace a file that somebody reads, who may have it from a build that was faster than this one.
    if (isUpToDate(options)) return;
    throw error;
  }
  writeFileSync(hashFileOf(path), `${createHash('sha256').update(bytes).digest('hex')}\n`);
  writeFileSync(keyFileOf(path), keyLine(key, bytes.length));
}

/** Removes files of killed builds; those of a running build are younger. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.tmp'))) {
    const file = join(directory, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > oldestBuildMs) rmSync(file, { force: true });
  }
}

function keyFileOf(path: string): string {
  return `${path}.key`;
}

function keyLine(key: string, bytes: number): string {
  return `${key} ${bytes}\n`;
}
