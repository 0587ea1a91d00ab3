import {
  foreignObjectSchema,
  type ForeignObject,
  type Link,
  type ObjectBody,
} from '../../model/objects.ts';
import { parseJson } from '../../model/parse-json.ts';
import { resolveLink } from './addresses.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import {
  fetchContent,
  placeContent,
  type DownloadOptions,
  type TransferOptions,
} from './download.ts';
import { ObjectClientError, refusal } from './object-error.ts';
import { uploadFile, type UploadOutcome } from './upload.ts';

/** An object that the server holds, and where its content is for a time. */
export interface KnownObject extends ObjectBody {
  readonly download: Link;
}

/**
 * A client of one repository of the object API: announces, sends, checks and fetches large files by their SHA-256. Every method
 * throws ObjectClientError, the reason of its signal, or an error of the file system.
 */
export class ObjectClient {
  readonly #connection: Connection;

  /** @throws TypeError for a URL that names no repository. */
  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options);
  }

  /** Asks for an object's size and links; an unknown or forbidden object is an error with status 404. */
  async locate(oid: string, { signal }: TransferOptions = {}): Promise<KnownObject> {
    return this.#connection.retries.trying(signal, () => this.#locateOnce(oid, signal));
  }

  /** As {@link locate}; undefined where the server has no such object, or none for us. */
  async find(oid: string, options: TransferOptions = {}): Promise<KnownObject | undefined> {
    try {
      return await this.locate(oid, options);
    } catch (error) {
      if (error instanceof ObjectClientError && error.status === 404) return undefined;
      throw error;
    }
  }

  async exists(oid: string, options: TransferOptions = {}): Promise<boolean> {
    return (await this.find(oid, options)) !== undefined;
  }

  /** Asks whether the repository holds an object of this size. */
  async verify({ oid, size }: ObjectBody, options: TransferOptions = {}): Promise<boolean> {
    return (await this.find(oid, options))?.size === size;
  }

  /**
   * Sends a file, unless the server holds it, and has it confirmed where the server asks for that.
   * @param object as `identifyFile` gave it
   */
  async upload(
    path: string,
    object: ObjectBody,
    options: TransferOptions = {},
  ): Promise<UploadOutcome> {
    return uploadFile(this.#connection, path, object, options);
  }

  /**
   * Fetches an object into a file, which appears when it is whole; until then it is in `<path>.part`.
   * @param object as {@link find} gave it
   */
  async download(object: KnownObject, path: string, options: TransferOptions = {}): Promise<void> {
    const partPath = `${path}.part`;
    await this.fetch(object, { ...options, partPath });
    await placeContent(partPath, path);
  }

  /** Fetches an object into its part file, whole, checked and synced. */
  async fetch(object: KnownObject, options: DownloadOptions): Promise<void> {
    const { oid, size, download } = object;
    const findLink = async (): Promise<Link> => {
      const found = await this.#locateOnce(oid, options.signal);
      if (found.size !== size) throw new ObjectClientError('mismatch', otherSize);
      return found.download;
    };
    await fetchContent(this.#connection, { object, link: download, findLink }, options);
  }

  async #locateOnce(oid: string, signal: AbortSignal | undefined): Promise<KnownObject> {
    const purpose = { operation: 'download', oid, signal } as const;
    const call = { method: 'GET', path: `/objects/${oid}` } as const;
    const { body, url } = await this.#connection.call(purpose, call);
    const { size, download } = readObject(body, oid);
    // An object without a place to fetch it from is not there.
    if (download === undefined) throw refusal(404, '');
    return { oid, size, download: resolveLink(download, url) };
  }
}

const otherSize = 'The server has another size of the object.';

/** @throws ObjectClientError protocol */
function readObject(text: string, oid: string): { size: number; download: Link | undefined } {
  const {
    oid: named,
    size,
    _links: links,
  }: Partial<ForeignObject> = foreignObjectSchema.safeParse(parseJson(text)).data ?? {};
  if (size === undefined || named === undefined) {
    throw new ObjectClientError('protocol', 'The server did not describe the object.');
  }
  if (named !== oid) {
    throw new ObjectClientError('protocol', 'The server described another object.');
  }
  return { size, download: links?.download };
}
