import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import {
  pointerSchema,
  type GenerationPointer,
  type HostedReference,
} from '../../model/geodata.ts';
import { parseJson } from '../../model/parse-json.ts';
import { renameDurably, syncDirectory, writeFileAtomic } from '../../storage/atomic-file.ts';
import { createPrivateDirectory } from '../paths.ts';

/** What reading the pointer file gives; a damaged one is not the same as none: something was in use once. */
export type PointerReading =
  | { readonly found: 'nothing' }
  | { readonly found: 'damaged' }
  | { readonly found: 'pointer'; readonly pointer: GenerationPointer };

/** Ours has a few hundred bytes. */
const maxPointerBytes = 65_536;
const artifactFile = 'gazetteer.sqlite';
/** What is younger may be on its way to its place just now. */
const strayFileMs = 3_600_000;

/**
 * The files of the hosted generations: `gen/<id>-<12 digits of the oid>/gazetteer.sqlite` is one that is whole,
 * `partial/<oid>` one that is coming in, `current.json` says which is in use.
 */
export class GenerationFiles {
  readonly #directory: string;

  /** @param directory `geodata` in the data directory; made when something is put there. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  path(generation: HostedReference): string {
    return join(this.#directory, 'gen', directoryName(generation), artifactFile);
  }

  partialPath(oid: string): string {
    return partialPath(this.#directory, oid);
  }

  async readPointer(): Promise<PointerReading> {
    let text: string;
    try {
      const handle = await open(this.#pointerPath);
      try {
        if ((await handle.stat()).size > maxPointerBytes) return { found: 'damaged' };
        text = await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    } catch (error) {
      const isMissing = errorCode(error) === 'ENOENT';
      return { found: isMissing ? 'nothing' : 'damaged' };
    }
    const result = pointerSchema.safeParse(parseJson(text));
    return result.success ? { found: 'pointer', pointer: result.data } : { found: 'damaged' };
  }

  async writePointer(pointer: GenerationPointer): Promise<void> {
    createPrivateDirectory(this.#directory);
    await writeFileAtomic(this.#pointerPath, `${JSON.stringify(pointer)}\n`);
  }

  /** Moves a whole partial to where a generation lies, for good; whatever lay there is replaced. */
  async stage(generation: HostedReference): Promise<void> {
    const partial = this.partialPath(generation.oid);
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

  /** Removes every generation but these. What another program holds open stays until the next time (Windows). */
  async removeGenerationsBut(kept: readonly HostedReference[]): Promise<void> {
    const names = new Set(kept.map(directoryName));
    for (const name of await namesIn(join(this.#directory, 'gen'))) {
      if (!names.has(name)) await removeQuietly(join(this.#directory, 'gen', name));
    }
  }

  removePartial(oid: string): Promise<void> {
    return removeQuietly(this.partialPath(oid));
  }

  /**
   * Removes what was left of writes that a crash ended, and partials that nobody will ask for.
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

/** Where the file of this SHA-256 is put on its way in. */
export function partialPath(geodataDirectory: string, oid: string): string {
  return join(geodataDirectory, 'partial', oid);
}

/** The bytes of a regular file; undefined when there is none. */
export async function fileBytes(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : undefined;
}

function directoryName({ id, oid }: HostedReference): string {
  return `${id}-${oid.slice(0, 12)}`;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** What cannot be removed is tried again at the next start. */
async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
