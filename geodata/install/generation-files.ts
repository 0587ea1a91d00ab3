import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../../model/attempt.ts';
import { errorCode } from '../../model/error-code.ts';
import {
  builtinGeneration,
  pointerSchema,
  type GenerationPointer,
  type GenerationReference,
} from '../../model/geodata.ts';
import { parseJson } from '../../model/parse-json.ts';
import { renameDurably, syncDirectory, writeFileAtomic } from '../../storage/atomic-file.ts';
import { hashFile } from '../../storage/hash-file.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import {
  builtinGeodataPath,
  hashFileOf,
  readGenerationInfo,
  type GenerationInfo,
} from '../generation.ts';
import { partialPath } from '../manifest.ts';

/** A generation that is there and that this program can read. */
export interface Generation extends GenerationInfo {
  readonly reference: GenerationReference;
  readonly path: string;
}

/** The content of the pointer file; a damaged one is not the same as none: something was in use once. */
export type PointerReading =
  | { readonly found: 'nothing' }
  | { readonly found: 'damaged' }
  | { readonly found: 'pointer'; readonly pointer: GenerationPointer };

/** The generation that ships with the program. */
export const builtin: GenerationReference = { id: builtinGeneration, oid: null };

/** Ours has a few hundred bytes. */
const maxPointerBytes = 65_536;
/** A younger file may be on its way to its place just now. */
const strayFileMs = 3_600_000;

/**
 * The files of the generations: `gen/<id>-<12 digits of the oid>/gazetteer.sqlite` is a hosted one that is whole,
 * `partial/<oid>` one that is coming in, `current.json` says which is in use.
 */
export class GenerationFiles {
  readonly #directory: string;
  readonly #builtinPath: string;

  /** @param directory `geodata` in the data directory; made when something is put there. */
  constructor(directory: string, builtinPath = builtinGeodataPath()) {
    this.#directory = directory;
    this.#builtinPath = builtinPath;
  }

  path(generation: GenerationReference): string {
    const name = directoryName(generation);
    return name === undefined
      ? this.#builtinPath
      : join(this.#directory, 'gen', name, 'gazetteer.sqlite');
  }

  partialPath(oid: string): string {
    return partialPath(this.#directory, oid);
  }

  /** Looks at a generation; undefined when it is missing, damaged or of a format that this program does not know. */
  inspect({ id, oid }: GenerationReference): Generation | undefined {
    const reference = { id, oid };
    const path = this.path(reference);
    // The caller falls back, and says so.
    const info = attempt(() => readGenerationInfo(path));
    return info && { reference, path, ...info };
  }

  async readPointer(): Promise<PointerReading> {
    try {
      if ((await stat(this.#pointerPath)).size > maxPointerBytes) return { found: 'damaged' };
      const text = await readFile(this.#pointerPath, 'utf8');
      const { data: pointer } = pointerSchema.safeParse(parseJson(text));
      return pointer === undefined ? { found: 'damaged' } : { found: 'pointer', pointer };
    } catch (error) {
      return { found: errorCode(error) === 'ENOENT' ? 'nothing' : 'damaged' };
    }
  }

  async writePointer(pointer: GenerationPointer): Promise<void> {
    createPrivateDirectory(this.#directory);
    await writeFileAtomic(this.#pointerPath, `${JSON.stringify(pointer)}\n`);
  }

  /** Moves a whole partial to where its generation lies, for good; a file that lay there is replaced. */
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

  /** Removes every hosted generation but these. A file that another program holds open stays for now (Windows). */
  async removeGenerationsBut(kept: readonly GenerationReference[]): Promise<void> {
    const names = new Set(kept.map(directoryName));
    for (const name of await namesIn(join(this.#directory, 'gen'))) {
      if (!names.has(name)) await removeQuietly(join(this.#directory, 'gen', name));
    }
  }

  /**
   * Removes what was left of writes that a crash ended, and partials that no install will ask for.
   * @param known object ids of the manifest; @param now ms, @param retentionMs of known ones
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

/** The SHA-256 that a generation has to have; null where the build has left no word of the builtin one's. */
export async function expectedHash(
  reference: GenerationReference,
  path: string,
): Promise<string | null> {
  if (reference.oid !== null) return reference.oid;
  const text = await readFile(hashFileOf(path), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}(?=\s*$)/u.exec(text)?.[0] ?? null;
}

/** Whether a generation has the content that it should have; undefined where its hash is not known. */
export async function isIntact(
  { reference, path }: Generation,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const expected = await expectedHash(reference, path);
  if (expected === null) return undefined;
  return (await hashFile(path, signal).catch(() => undefined)) === expected;
}

export function isSameGeneration(a: GenerationReference, b: GenerationReference): boolean {
  return a.id === b.id && a.oid === b.oid;
}

/** Undefined for the builtin generation, which lies elsewhere. */
function directoryName({ id, oid }: GenerationReference): string | undefined {
  return oid === null ? undefined : `${id}-${oid.slice(0, 12)}`;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** A file that cannot be removed is tried again at the next start. */
async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
