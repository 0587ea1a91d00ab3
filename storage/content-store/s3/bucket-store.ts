import { createHash, randomUUID } from 'node:crypto';
import { WaypointError } from '../../../model/failure.ts';
import type {
  ContentEntry,
  ContentName,
  ContentStore,
  DirectLinks,
  Oid,
  OpenContent,
  QuarantinedContent,
  ReceivedContent,
  RepositoryContents,
} from '../content-store.ts';
import { Bucket, largestAtOnce, largestContent, type BucketPlace } from './bucket.ts';
import { linkLifeSeconds, repositoryMark, signedLinks, type SignedLinks } from './sign-links.ts';

const keyPattern = /^([^/]+\/[^/]+)\/([0-9a-f]{64})$/u;
const quarantinePattern = /^([^/]+\/[^/]+)\/([0-9a-f]{64})\.(\d+)\.[^/]+$/u;
/** No owner's name begins with a dot. */
const quarantine = '.quarantine/';
/** Age after which an upload in parts of a killed server or command is removed. */
const abandonedMs = 86_400_000;

/** A content store in a bucket: `prefix/OWNER/NAME/oid`, and `prefix/.quarantine/` for what was taken out of sight. */
export class BucketContentStore implements ContentStore {
  readonly keepsApart = true;
  readonly #bucket: Bucket;
  readonly #links: SignedLinks;
  readonly #prefix: string;
  readonly #largestAtOnce: number;

  /** @param largest for tests: what is larger goes through the server, in parts. */
  constructor(place: BucketPlace, largest = largestAtOnce) {
    this.#bucket = new Bucket(place, largest);
    this.#links = signedLinks(this.#bucket);
    this.#prefix = place.prefix === '' ? '' : `${place.prefix}/`;
    this.#largestAtOnce = largest;
  }

  /**
   * Sees that the bucket is there for us, and that it refuses wrong bytes, which all else relies on.
   * @throws WaypointError bucket_unavailable, bucket_refuses, bucket_careless
   */
  async check(): Promise<void> {
    const key = `${this.#prefix}.check/${randomUUID()}`;
    try {
      await this.#bucket.write(key, sha256Of('right'), 5, pieces('wrong'));
    } catch (error) {
      const isMismatch = error instanceof WaypointError && error.failure === 'content_mismatch';
      if (isMismatch) return;
      throw error;
    }
    await this.#bucket.remove(key);
    throw new WaypointError('bucket_careless');
  }

  async isEmpty(): Promise<boolean> {
    for await (const _ of this.#bucket.list(this.#prefix)) return false;
    return true;
  }

  async claim(storeId: string): Promise<'this' | 'another' | 'none'> {
    const below = `${this.#prefix}.store/`;
    const own = below + storeId;
    const isEmpty = await this.isEmpty();
    if (isEmpty) await this.#bucket.write(own, sha256Of(''), 0, pieces(''));
    // Each store has a mark of its own: where two begin at once the later one, at least, sees both. Not every bucket knows a
    // write that is refused where something is there already.
    const found: string[] = [];
    for await (const { key } of this.#bucket.list(below)) found.push(key);
    if (found.length === 0) return 'none';
    if (found.length === 1 && found[0] === own) return 'this';
    if (isEmpty) await this.#bucket.remove(own);
    return 'another';
  }

  of(repository: string): RepositoryContents {
    const keyOf = (oid: Oid): string => `${this.#prefix}${repository}/${oid}`;
    return {
      has: async (oid) => (await this.#bucket.head(keyOf(oid)))?.size,
      get: (oid) => this.#open(keyOf(oid)),
      put: (oid, size, source, by) => this.#put({ oid, repository }, size, source, by),
      direct: this.#direct(keyOf),
    };
  }

  async *list(): AsyncGenerator<ContentEntry> {
    for await (const { key, size, storedMs } of this.#bucket.list(this.#prefix)) {
      const [, repository, oid] = keyPattern.exec(key.slice(this.#prefix.length)) ?? [];
      if (repository === undefined || oid === undefined) continue;
      yield { oid, repository, size, storedMs };
    }
  }

  async quarantine({ oid, repository = '' }: ContentName): Promise<string | undefined> {
    const key = this.#keyOf({ oid, repository });
    const found = await this.#bucket.head(key);
    if (found === undefined) return undefined;
    const name = `${repository}/${oid}.${Date.now()}.${randomUUID()}`;
    await this.#bucket.copy(key, this.#quarantineKey(name), found.size);
    await this.#bucket.remove(key);
    return name;
  }

  async restore(name: string): Promise<void> {
    const [, repository = '', oid = ''] = quarantinePattern.exec(name) ?? [];
    const [from, to] = [this.#quarantineKey(name), this.#keyOf({ oid, repository })];
    const found = await this.#bucket.head(from);
    if (found !== undefined && (await this.#bucket.head(to)) === undefined)
      await this.#bucket.copy(from, to, found.size);
    await this.discard(name);
  }

  async discard(name: string): Promise<void> {
    await this.#bucket.remove(this.#quarantineKey(name));
  }

  async getQuarantined(name: string): Promise<OpenContent | undefined> {
    return this.#open(this.#quarantineKey(name));
  }

  async listQuarantine(): Promise<QuarantinedContent[]> {
    const found: QuarantinedContent[] = [];
    for await (const { key, size } of this.#bucket.list(this.#quarantineKey(''))) {
      const name = key.slice(this.#quarantineKey('').length);
      const [, repository, oid, sinceMs] = quarantinePattern.exec(name) ?? [];
      if (repository === undefined || oid === undefined) continue;
      found.push({ name, oid, repository, size, sinceMs: Number(sinceMs) });
    }
    return found;
  }

  async freeBytes(): Promise<number> {
    return Infinity;
  }

  async sweep(now: number): Promise<void> {
    // The rest of the bucket may be another program's.
    const isOurs = (key: string): boolean => {
      const name = key.slice(this.#prefix.length);
      return keyPattern.test(name) || name.startsWith(quarantine);
    };
    await this.#bucket.abandonParts(this.#prefix, now - abandonedMs, isOurs);
  }

  close(): void {
    this.#bucket.close();
  }

  #keyOf({ oid, repository = '' }: ContentName): string {
    return `${this.#prefix}${repository}/${oid}`;
  }

  #quarantineKey(name: string): string {
    return `${this.#prefix}${quarantine}${name}`;
  }

  #direct(keyOf: (oid: Oid) => string): DirectLinks {
    return {
      largestBytes: this.#largestAtOnce,
      lifeSeconds: linkLifeSeconds,
      upload: (content) => this.#links.upload(keyOf(content.oid), content),
      download: (oid) => this.#links.download(keyOf(oid)),
      arrived: async (oid, repositoryId) => {
        const found = await this.#bucket.head(keyOf(oid));
        // An earlier repository of the same name may have left it.
        const isOurs = found?.metadata[repositoryMark] === String(repositoryId);
        return isOurs ? found?.size : undefined;
      },
      remove: (oid) => this.#bucket.remove(keyOf(oid)),
    };
  }

  async #put(
    content: ContentName,
    size: number,
    source: AsyncIterable<Uint8Array>,
    by?: number,
  ): Promise<ReceivedContent> {
    if (size > largestContent) throw new WaypointError('object_too_large');
    const key = this.#keyOf(content);
    await this.#bucket.write(key, content.oid, size, checked(source, content.oid, size), by);
    return {
      settle: async () => {
        // A garbage collection has taken it: the row says nothing without it, and the client sends it again.
        if ((await this.#bucket.head(key))?.size !== size)
          throw new WaypointError('bucket_unavailable', { retryAfterSeconds: 1 });
      },
      abandon: async (isHeld) => {
        const name = (await isHeld(content)) ? undefined : await this.quarantine(content);
        if (name === undefined) return;
        // Another upload of the same content may have been committed meanwhile.
        await ((await isHeld(content)) ? this.restore(name) : this.discard(name));
      },
    };
  }

  async #open(key: string): Promise<OpenContent | undefined> {
    const found = await this.#bucket.head(key);
    if (found === undefined) return undefined;
    const { size } = found;
    const bytes = async (from: number, to: number): Promise<AsyncIterable<Uint8Array>> =>
      (from < to ? await this.#bucket.read(key, from, to) : undefined) ?? pieces('');
    return {
      size,
      read: async (buffer, at) => {
        let filled = 0;
        for await (const piece of await bytes(at, Math.min(size, at + buffer.length))) {
          buffer.set(piece, filled);
          filled += piece.length;
        }
        return filled;
      },
      async *pieces() {
        yield* await bytes(0, size);
      },
      close() {},
    };
  }
}

/** Ends with an error before the last byte where the content is not what was announced. */
async function* checked(
  source: AsyncIterable<Uint8Array>,
  oid: Oid,
  size: number,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let received = 0;
  let last: Uint8Array | undefined;
  for await (const piece of source) {
    received += piece.length;
    if (received > size) throw new WaypointError('content_mismatch');
    hash.update(piece);
    if (last !== undefined) yield last;
    // Its memory is the sender's again when the next piece is asked for.
    last = Buffer.from(piece);
  }
  if (received !== size || hash.digest('hex') !== oid) throw new WaypointError('content_mismatch');
  if (last !== undefined) yield last;
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
