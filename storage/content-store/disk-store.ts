import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { syncDirectoryAsync, writeFileAtomic } from '../atomic-file.ts';
import type {
  ContentEntry,
  ContentName,
  ContentStore,
  Oid,
  OpenContent,
  QuarantinedContent,
  ReceivedContent,
  RepositoryContents,
} from './content-store.ts';
import { openStored } from './open-stored.ts';
import { receive } from './receive.ts';

/** Error codes of `link` on file systems without hard links; the last one is exFAT on Windows. */
const noLinkCodes = new Set('EPERM ENOTSUP EOPNOTSUPP ENOSYS EMLINK EXDEV EISDIR'.split(' '));

/** Age after which a temporary file of a killed command is removed. */
const abandonedMs = 86_400_000;

/** Plenty of room is believed for so long, ms: of many small uploads, each would spend a tenth of its CPU time on asking. */
const freeForMs = 100;
/** More than comes in meanwhile. */
const plentyBytes = 4e9;

const oidName = /^[0-9a-f]{64}$/u;
const shardName = /^[0-9a-f]{2}$/u;
/** Holds the id of the store whose contents these are. */
const markName = 'store-id';
const quarantineName = /^([0-9a-f]{64})\.(\d+)\./u;

/** Thrown where one of a store's directories is on another file system than the others. */
export class StoreDivided extends Error {
  override readonly name = 'StoreDivided';
  readonly directory: string;

  constructor(directory: string) {
    super('store divided');
    this.directory = directory;
  }
}

/**
 * A content store in a directory: `objects/aa/bb/<oid>` (mode 0444), `incoming/` for what is arriving, `quarantine/`
 * for what was taken out of sight. The three are on one file system, so that a rename is atomic.
 */
export class DiskContentStore implements ContentStore, RepositoryContents {
  readonly keepsApart = false;
  readonly #root: string;
  readonly #objects: string;
  readonly #incoming: string;
  readonly #quarantine: string;
  /** By the four digits of a shard: 1 once it is known that its directory survives a power cut. */
  readonly #syncedShards = new Uint8Array(65_536);
  /** The same of their first two digits. */
  readonly #syncedParents = new Uint8Array(256);
  readonly #owner: 'server' | 'command';
  #free = { bytes: 0, askedMs: -Infinity };

  /** @param owner who receives contents here; see {@link sweep}. */
  constructor(root: string, owner: 'server' | 'command') {
    this.#owner = owner;
    this.#root = root;
    this.#objects = join(root, 'objects');
    this.#incoming = join(root, 'incoming');
    this.#quarantine = join(root, 'quarantine');
  }

  /** Makes the directories. @throws StoreDivided */
  async prepare(): Promise<void> {
    for (const directory of [this.#incoming, this.#objects, this.#quarantine]) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await syncDirectoryAsync(dirname(directory));
      if (await isElsewhere(this.#incoming, directory)) throw new StoreDivided(directory);
    }
  }

  async isEmpty(): Promise<boolean> {
    return (await names(this.#objects)).length === 0 && (await this.#mark()) === undefined;
  }

  async claim(storeId: string, isKnown: boolean): Promise<'this' | 'another' | 'none'> {
    const [isEmpty, found] = [await this.isEmpty(), await this.#mark()];
    if (found === storeId) return 'this';
    if (!isKnown && !isEmpty) return found === undefined ? 'none' : 'another';
    await writeFileAtomic(join(this.#root, markName), storeId);
    return 'this';
  }

  /**
   * Deletes what uploads that were killed have left: at once what a server was receiving, of which there is one at a time;
   * a day later what a command was, which may be running.
   * @param now ms since 1970.
   */
  async sweep(now: number): Promise<void> {
    for (const name of await readdir(this.#incoming)) {
      const path = join(this.#incoming, name);
      const stats = await lstat(path).catch(ignoreMissing);
      const isOld = stats !== undefined && now - stats.mtimeMs > abandonedMs;
      if (name.startsWith('server-') || isOld) await rm(path, { recursive: true, force: true });
    }
  }

  /** One copy of a content serves all repositories. */
  of(): this {
    return this;
  }

  async freeBytes(): Promise<number> {
    const now = performance.now();
    if (now - this.#free.askedMs < freeForMs) return this.#free.bytes;
    const { bavail, bsize } = await statfs(this.#root);
    const bytes = bavail * bsize;
    if (bytes > plentyBytes) this.#free = { bytes, askedMs: now };
    return bytes;
  }

  close(): void {}

  async has(oid: Oid): Promise<number | undefined> {
    return (await this.entry(oid))?.size;
  }

  async entry(oid: Oid): Promise<ContentEntry | undefined> {
    const stats = await lstat(this.#path(oid)).catch(ignoreMissing);
    if (stats === undefined || !stats.isFile()) return undefined;
    return { oid, size: stats.size, storedMs: stats.ctimeMs };
  }

  async put(oid: Oid, size: number, source: AsyncIterable<Uint8Array>): Promise<ReceivedContent> {
    const temporary = join(this.#incoming, `${this.#owner}-${randomUUID()}`);
    await receive(temporary, oid, size, source);
    const drop = (): Promise<void> => unlink(temporary).catch(ignoreMissing);
    try {
      await this.#place(temporary, oid, size);
    } catch (error) {
      await drop();
      throw error;
    }
    return {
      settle: async () => {
        // The temporary name still holds the bytes, whatever became of the other one, whose directory was read just now.
        if (!existsSync(this.#path(oid))) await this.#place(temporary, oid, size);
        await drop();
      },
      abandon: async (isHeld) => {
        await drop();
        const name = (await isHeld({ oid })) ? undefined : await this.quarantine({ oid });
        if (name === undefined) return;
        // Another upload of the same content may have been committed meanwhile.
        await ((await isHeld({ oid })) ? this.restore(name) : this.discard(name));
      },
    };
  }

  async get(oid: Oid): Promise<OpenContent | undefined> {
    return openStored(this.#path(oid));
  }

  async quarantine({ oid }: ContentName): Promise<string | undefined> {
    // The time is in the name, because not every file system notes when a file was renamed.
    const name = `${oid}.${Date.now()}.${randomUUID()}`;
    const from = this.#path(oid);
    const moved = rename(from, join(this.#quarantine, name)).then(() => true, ignoreMissing);
    if ((await moved) === undefined) return undefined;
    await syncDirectoryAsync(this.#quarantine);
    await syncDirectoryAsync(dirname(from));
    return name;
  }

  async restore(name: string): Promise<void> {
    const oid = name.slice(0, 64);
    const from = join(this.#quarantine, name);
    const stats = await lstat(from);
    await this.#place(from, oid, stats.size);
    await this.discard(name);
  }

  async discard(name: string): Promise<void> {
    await rm(join(this.#quarantine, name), { force: true });
  }

  async getQuarantined(name: string): Promise<OpenContent | undefined> {
    return openStored(join(this.#quarantine, name));
  }

  async listQuarantine(): Promise<QuarantinedContent[]> {
    const found = [];
    for (const name of (await readdir(this.#quarantine)).toSorted()) {
      const [, oid, sinceMs] = quarantineName.exec(name) ?? [];
      if (oid === undefined) continue;
      const stats = await lstat(join(this.#quarantine, name)).catch(ignoreMissing);
      if (stats?.isFile() !== true) continue;
      found.push({ name, oid, size: stats.size, sinceMs: Number(sinceMs) });
    }
    return found;
  }

  async *list(): AsyncIterable<ContentEntry> {
    for (const first of await shards(this.#objects)) {
      for (const second of await shards(join(this.#objects, first))) {
        for (const name of await names(join(this.#objects, first, second))) {
          if (!oidName.test(name) || !name.startsWith(first + second)) continue;
          const entry = await this.entry(name);
          if (entry !== undefined) yield entry;
        }
      }
    }
  }

  async #mark(): Promise<string | undefined> {
    return readFile(join(this.#root, markName), 'utf8').catch(ignoreMissing);
  }

  #path(oid: Oid): string {
    // A path is made of nothing but what has been recognised as an oid.
    if (!oidName.test(oid)) throw new TypeError('Not an oid.');
    return join(this.#objects, oid.slice(0, 2), oid.slice(2, 4), oid);
  }

  /** Gives a checked file its name, on the disk when this resolves. A content that is there already stays. */
  async #place(file: string, oid: Oid, size: number): Promise<void> {
    const target = this.#path(oid);
    await this.#makeShard(oid);
    if (!(await addName(file, target))) await this.#replaceCut(file, oid, size);
    await syncDirectoryAsync(dirname(target));
  }

  /** Replaces a stored file of the wrong length, or an entry that is not a file. */
  async #replaceCut(file: string, oid: Oid, size: number): Promise<void> {
    const there = await lstat(this.#path(oid)).catch(ignoreMissing);
    if (there?.isFile() === true && there.size === size) return;
    if (there !== undefined) await this.quarantine({ oid });
    await addName(file, this.#path(oid));
  }

  async #makeShard(oid: Oid): Promise<void> {
    const index = Number.parseInt(oid.slice(0, 4), 16);
    if (this.#syncedShards[index] === 1) return;
    const shard = dirname(this.#path(oid));
    await mkdir(shard, { recursive: true, mode: 0o700 });
    // Also for an existing one: its maker may have been killed before the sync, or still be waiting for it.
    await syncDirectoryAsync(dirname(shard));
    if (this.#syncedParents[index >> 8] === 0) await syncDirectoryAsync(this.#objects);
    this.#syncedParents[index >> 8] = 1;
    this.#syncedShards[index] = 1;
  }
}

/** Whether files cannot be renamed from one directory into another. */
async function isElsewhere(from: string, to: string): Promise<boolean> {
  const devices = await Promise.all([stat(from), stat(to)]);
  if (devices[0].dev !== devices[1].dev) return true;
  // One file system may be mounted twice. Linux tells that before it looks for the file.
  const name = randomUUID();
  const failed = await rename(join(from, name), join(to, name)).catch(errorCode);
  return failed === 'EXDEV';
}

async function shards(directory: string): Promise<string[]> {
  return (await names(directory)).filter((name) => shardName.test(name));
}

async function names(directory: string): Promise<string[]> {
  return ((await readdir(directory).catch(ignoreMissing)) ?? []).toSorted();
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
}

/** Gives a file a further name, or a new one where there are no links. @returns false if the name is taken. */
async function addName(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!noLinkCodes.has(errorCode(error) ?? '')) throw error;
    await rename(file, name);
  }
  return true;
}
