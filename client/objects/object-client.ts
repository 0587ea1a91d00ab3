import { createReadStream } from 'node:fs';
import {
  objectAnswerSchema,
  type Link,
  type ObjectAnswer,
  type ObjectBody,
} from '../../model/objects.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import {
  fetchContent,
  placeContent,
  type DownloadOptions,
  type TransferOptions,
} from './download.ts';
import { ObjectClientError } from './object-error.ts';
import { readText } from './request.ts';

const pieceBytes = 1_048_576;

export interface UploadOutcome {
  /** False when the server held the object already. */
  readonly isSent: boolean;
}

/** An object that the server holds, and where its content is. */
export interface KnownObject extends ObjectBody {
  readonly download: Link;
}

/**
 * A client of one repository of the object API: announces, sends, checks and fetches large files by their SHA-256. Every method
 * throws ObjectClientError, or the reason of its signal.
 */
export class ObjectClient {
  readonly #connection: Connection;

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options);
  }

  /** What the server says of an object; undefined where it has none, or none for us. */
  async find(oid: string, { signal }: TransferOptions = {}): Promise<KnownObject | undefined> {
    try {
      const { body } = await this.#connection.call({
        method: 'GET',
        path: `/objects/${oid}`,
        operation: 'download',
        oid,
        signal,
      });
      const { size, _links } = readObject(body, oid);
      // An object without a place to fetch it from is not there.
      return _links?.download === undefined ? undefined : { oid, size, download: _links.download };
    } catch (error) {
      if (error instanceof ObjectClientError && error.status === 404) return undefined;
      throw error;
    }
  }

  async exists(oid: string, options: TransferOptions = {}): Promise<boolean> {
    return (await this.find(oid, options)) !== undefined;
  }

  /** Sends a file, unless the server holds it, and has it confirmed where the server asks for that. */
  async upload(
    path: string,
    object: ObjectBody,
    options: TransferOptions = {},
  ): Promise<UploadOutcome> {
    const { signal } = options;
    const { status, body } = await this.#connection.call({
      method: 'POST',
      path: '/objects',
      operation: 'upload',
      oid: object.oid,
      body: { oid: object.oid, size: object.size },
      signal,
    });
    if (status === 200) return { isSent: false };
    const links = readLinks(body);
    if (status !== 202 || links?.upload === undefined) {
      throw new ObjectClientError('protocol', 'The server did not say where to send the object.');
    }
    await this.#send(path, object, links.upload, options);
    if (links.verify !== undefined) await this.#verify(links.verify, object, signal);
    return { isSent: true };
  }

  /** Asks whether the repository holds an object of this size. */
  async verify({ oid, size }: ObjectBody, options: TransferOptions = {}): Promise<boolean> {
    return (await this.find(oid, options))?.size === size;
  }

  /**
   * Fetches an object into a file, which appears when it is whole.
   * @param object as {@link find} gave it.
   */
  async download(object: KnownObject, path: string, options: TransferOptions = {}): Promise<void> {
    const partPath = `${path}.part`;
    await this.fetch(object, { ...options, partPath });
    await placeContent(partPath, path);
  }

  /** Fetches an object into its part file, whole, checked and synced. */
  async fetch(object: KnownObject, options: DownloadOptions): Promise<void> {
    await fetchContent(this.#connection, object, object.download, options);
  }

  async #send(
    path: string,
    { oid, size }: ObjectBody,
    link: Link,
    { signal, onProgress }: TransferOptions,
  ): Promise<void> {
    const body = () => {
      let sent = 0;
      const stream = createReadStream(path, { highWaterMark: pieceBytes });
      stream.on('data', (piece) => onProgress?.((sent += piece.length)));
      return stream;
    };
    // Not the type of the file: signatures of other stores cover it.
    const type = { 'content-type': 'application/octet-stream' };
    const isChunked = hasHeader(link, 'transfer-encoding');
    const headers = isChunked ? type : { ...type, 'content-length': String(size) };
    const call = { method: 'PUT', operation: 'upload', oid, headers, body, signal } as const;
    const answer = await this.#connection.follow(link, { ...call, accepted: [200, 201] });
    await readText(answer);
  }

  async #verify(link: Link, { oid, size }: ObjectBody, signal?: AbortSignal): Promise<void> {
    const body = JSON.stringify({ oid, size });
    const type = 'application/vnd.x-lfs+json';
    const answer = await this.#connection.follow(link, {
      method: 'POST',
      operation: 'upload',
      oid,
      headers: { accept: type, 'content-type': type, 'content-length': String(body.length) },
      body: () => body,
      accepted: [200, 201],
      signal,
    });
    await readText(answer);
  }
}

function hasHeader({ header = {} }: Link, name: string): boolean {
  return Object.keys(header).some((key) => key.toLowerCase() === name);
}

/** @throws ObjectClientError protocol */
function readObject(text: string, oid: string): ObjectAnswer {
  const parsed = objectAnswerSchema.safeParse(parse(text));
  if (!parsed.success) {
    throw new ObjectClientError('protocol', 'The server did not describe the object.');
  }
  if (parsed.data.oid !== oid) {
    throw new ObjectClientError('protocol', 'The server described another object.');
  }
  return parsed.data;
}

/** The links of a 202, whose body need not name the object. */
function readLinks(text: string): ObjectAnswer['_links'] {
  const parsed = objectAnswerSchema.partial().safeParse(parse(text));
  return parsed.success ? parsed.data._links : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller says so.
  }
}
