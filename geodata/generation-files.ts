import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../model/attempt.ts';
import { errorCode } from '../model/error-code.ts';
import { isStorageFault } from '../model/failure.ts';
import {
  builtinGeneration,
  pointerSchema,
  type GenerationPointer,
  type GenerationReference,
} from '../model/geodata.ts';
import { parseJson } from '../model/parse-json.ts';
import { renameDurably, syncDirectory, writeFileAtomic } from '../storage/atomic-file.ts';
import { hashFile } from '../storage/hash-file.ts';
import { firstBytes } from '../storage/open-file.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';
import {
  builtinGeodataPath,
  hashFileOf,
  readGenerationInfo,
  type GenerationInfo,
} from './generation.ts';
import { partialPath } from './manifest.ts';

/** A generation whose file is there and readable. */
export interface Generation extends GenerationInfo {
  readonly reference: GenerationReference;
  readonly path: string;
}

/** The generation that ships with the program. */
export const builtin: GenerationReference = { id: builtinGeneration, oid: null };

/** Larger pointer files (ours have a few hundred bytes) are damaged. */
const maxPointerBytes = 65_536;
/** Younger files may belong to a write in progress. */
const strayFileMs = 3_600_000;

/**
 * The files below `geodata` in the data directory: `gen/<id>-<12 digits of the oid>/gazetteer.sqlite` are whole hosted
 * generations, `partial/<oid>` unfinished ones; `current.json` names the one in use and the one before.
 */
export class GenerationFiles {
  readonly #directory: string;
  readonly #builtinPath: string;

  constructor(directory: string, builtinPath = builtinGeodataPath()) {
    this.#directory = directory;
    this.#builtinPath = builtinPath;
  }

  path({ id, oid }: GenerationReference): string {
    if (oid === null) return this.#builtinPath;
    return join(this.#directory, 'gen', `${id}-${oid.slice(0, 12)}`, 'gazetteer.sqlite');
  }

  partialPath(oid: string): string {
    return partialPath(this.#directory, oid);
  }

  /**
   * Reads what a generation says of itself; undefined when it is missing, damaged or of an unknown format.
   * @throws errors that say nothing about the file: no more can be opened, or its disk fails.
   */
  inspect({ id, oid }: GenerationReference): Generation | undefined {
    const reference = { id, oid };
    const path = this.path(reference);
    const info = attempt(() => readGenerationInfo(path));
    if (info === undefined) checkDisk(path);
    return info && { reference, path, ...info };
  }

  /** Reads the pointer; undefined when nothing was ever installed. */
  async readPointer(): Promise<GenerationPointer | 'damaged' | undefined> {
    try {
      if ((await stat(this.#pointerPath)).size > maxPointerBytes) return 'damaged';
      const text = await readFile(this.#pointerPath, 'utf8');
      return pointerSchema.safeParse(parseJson(text)).data ?? 'damaged';
    } catch (error) {
      if (isStorageFault(error)) throw error;
      return errorCode(error) === 'ENOENT' ? undefined : 'damaged';
    }
  }

  async writePointer(pointer: GenerationPointer): Promise<void> {
    createPrivateDirectory(this.#directory);
    await writeFileAtomic(this.#pointerPath, `${JSON.stringify(pointer)}\n`);
  }

  /** Syncs a whole partial and renames it to its place, over a file that lay there. */
  async stage(generation: GenerationReference, partial: string): Promise<void> {
    const handle = await open(partial, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    const target = this.path(generation);
    createPrivateDirectory(dirname(target));
    await renameDurably(partial, target);
    syncDirectory(dirname(dirname(target)));
    syncDirectory(this.#directory);
  }

  /** Removes all other hosted generations. Open files stay on Windows until the next time; elsewhere their readers keep them. */
  async removeGenerationsBut(kept: readonly GenerationReference[]): Promise<void> {
    const directories = new Set(kept.map((reference) => dirname(this.path(reference))));
    for (const name of await namesIn(join(this.#directory, 'gen'))) {
      const directory = join(this.#directory, 'gen', name);
      if (!directories.has(directory)) await removeQuietly(directory);
    }
  }

  /**
   * Removes what writes ended by a crash left, and partials that no install will continue.
   * @param known object ids of the manifest; @param now ms, @param retentionMs of known partials
   */
  async removeStrays(known: ReadonlySet<string>, now: number, retentionMs: number): Promise<void> {
    const pointers = (await namesIn(this.#directory)).filter((name) => name.endsWith('.tmp'));
    const partials = await namesIn(join(this.#directory, 'partial'));
    for (const name of [...pointers, ...partials.map((partial) => join('partial', partial))]) {
      const path = join(this.#directory, name);
      const age = now - ((await stat(path).catch(() => undefined))?.mtimeMs ?? now);
      if (age > (known.has(basename(name)) ? retentionMs : strayFileMs)) await removeQuietly(path);
    }
  }

  get #pointerPath(): string {
    return join(this.#directory, 'current.json');
  }
}

/** The bytes of a regular file; undefined when there is none. */
export async function fileBytes(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : undefined;
}

/** The SHA-256 that a generation must have; null for a builtin one without a hash file. */
export async function expectedHash(
  reference: GenerationReference,
  path: string,
): Promise<string | null> {
  if (reference.oid !== null) return reference.oid;
  const text = await readFile(hashFileOf(path), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}(?=\s*$)/u.exec(text)?.[0] ?? null;
}

/** Compares the hash of a generation; undefined when the hash it must have is unknown. */
export async function isIntact(
  { reference, path }: Generation,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const expected = await expectedHash(reference, path);
  if (expected === null) return undefined;
  return (await hashFile(path, signal).catch(() => undefined)) === expected;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Removes a file or directory; the next start tries again if that fails. */
async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** @throws errors of a disk that fails, and those that say that no more files can be opened; none of the file itself. */
function checkDisk(path: string): void {
  try {
    firstBytes(path, 1);
  } catch (error) {
    if (isStorageFault(error)) throw error;
  }
}
