import { createHash, type Hash } from 'node:crypto';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import type { Link, ObjectBody } from '../../model/objects.ts';
import type { NodeAnswer } from '../node-request.ts';
import type { Connection } from './connection.ts';
import { hashFile } from './identify-file.ts';
import { ObjectClientError } from './object-error.ts';
import { refuseCoding } from './request.ts';

export interface TransferOptions {
  /** Called with the bytes that are there so far; they can become fewer, when it has to begin anew. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DownloadOptions extends TransferOptions {
  /** Where it is written while it is not complete; kept when the download fails or is aborted, to go on from. */
  readonly partPath: string;
  /** Permission bits of a new part file. */
  readonly mode?: number;
}

export interface Download {
  readonly object: ObjectBody;
  /** Where the content is, for a time. */
  readonly link: Link;
  /** Asks for that again. */
  readonly findLink: () => Promise<Link>;
}

/** The part file cannot be continued. */
class WrongBytes extends ObjectClientError {
  constructor(message = 'The bytes are not those of the object.') {
    super('mismatch', message);
  }
}

/** Statuses of expired links. */
const expired = new Set([401, 403, 410]);

/**
 * Fetches a content into the part file, going on where an earlier download stopped; resolves when all of it is there, checked and
 * synced. As long as bytes come in, it may be cut off as often as it likes. Wrong bytes are fetched a second time from the
 * beginning, then they are an error.
 * @throws ObjectClientError; the signal's reason; errors of the disk
 */
export async function fetchContent(
  connection: Connection,
  download: Download,
  options: DownloadOptions,
): Promise<void> {
  try {
    await fetchTrying(connection, download, options);
  } catch (error) {
    // An empty part is nothing to go on from.
    if ((await sizeOf(options.partPath)) === 0) await rm(options.partPath, { force: true });
    throw error;
  }
}

async function fetchTrying(
  connection: Connection,
  download: Download,
  options: DownloadOptions,
): Promise<void> {
  const { partPath, signal } = options;
  let link: Link | undefined = download.link;
  let [tries, hasBegun, isLinkNew, hasStartedOver] = [0, false, false, false];
  for (;;) {
    const before = await sizeOf(partPath);
    try {
      link ??= await download.findLink();
      await fetchOnce(connection, download.object, link, options);
      return;
    } catch (error) {
      if ((await sizeOf(partPath)) > before) [tries, hasBegun, isLinkNew] = [0, true, false];
      if (error instanceof WrongBytes) {
        await rm(partPath, { force: true });
        if (hasStartedOver) throw error;
        hasStartedOver = true;
        continue;
      }
      if (!isExpired(error) || isLinkNew) {
        const pauseMs = connection.retries.pauseAfter(error, tries, tries > 0 || hasBegun);
        if (pauseMs === undefined) throw error;
        tries += 1;
        await connection.retries.wait(pauseMs, signal);
      }
      [link, isLinkNew] = [undefined, true];
    }
  }
}

/** Puts a complete part file in its place, for good. */
export async function placeContent(partPath: string, path: string): Promise<void> {
  await rename(partPath, path);
  if (process.platform === 'win32') return;
  const directory = await open(dirname(path));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function fetchOnce(
  connection: Connection,
  object: ObjectBody,
  link: Link,
  options: DownloadOptions,
): Promise<void> {
  const { partPath, signal, onProgress, mode } = options;
  const { oid, size } = object;
  const hash = createHash('sha256');
  const file = await open(partPath, 'a', mode);
  try {
    const { size: before } = await file.stat();
    if (before > size) await file.truncate(0);
    const isFresh = before === 0 || before > size;
    const have = isFresh ? 0 : await hashFile(partPath, hash, signal);
    onProgress?.(have);
    if (have < size) await append(connection, { object, link, have, hash, file }, options);
    else if (hash.digest('hex') !== oid) throw new WrongBytes();
    // Somebody else may have written there, too.
    if ((await file.stat()).size > size) throw new WrongBytes();
    await file.sync();
  } finally {
    await file.close();
  }
}

interface Appending extends Pick<Download, 'object' | 'link'> {
  /** Bytes that are there, and in the hash. */
  readonly have: number;
  readonly hash: Hash;
  readonly file: FileHandle;
}

async function append(
  connection: Connection,
  { object, link, have, hash, file }: Appending,
  { signal, onProgress }: DownloadOptions,
): Promise<void> {
  const { oid, size } = object;
  const purpose = { operation: 'download', oid, signal } as const;
  const answer = await connection.follow(purpose, link, {
    method: 'GET',
    // The first try sends no Range: not every server has it, and the specification does not know 206.
    headers: have === 0 ? {} : { range: `bytes=${have}-` },
    accepted: have === 0 ? [200, 201] : [200, 201, 206, 416],
  });
  const start = startOf(answer, have, size);
  if (start < have) await file.truncate(start);
  const whole = start === have ? hash : createHash('sha256');
  let received = start;
  for await (const piece of answer.pieces()) {
    received += piece.length;
    if (received > size) throw new WrongBytes();
    whole.update(piece);
    await file.writeFile(piece);
    onProgress?.(received);
  }
  if (received < size) throw new ObjectClientError('stalled', 'The connection ended too early.');
  if (whole.digest('hex') !== oid) throw new WrongBytes();
}

/**
 * The offset of an answer's first byte: 0, or the one we asked for.
 * @throws WrongBytes for a part we did not ask for; ObjectClientError mismatch for another length, protocol for another coding
 */
function startOf(answer: NodeAnswer, have: number, size: number): number {
  refuseCoding(answer);
  const { 'content-length': length, 'content-range': range } = answer.headers;
  try {
    if (answer.status === 416) throw new WrongBytes('The server has less than what is there.');
    const start = answer.status === 206 ? have : 0;
    if (start !== 0 && !isPart(range, have, size)) {
      throw new WrongBytes('The server sent another part than it was asked for.');
    }
    // Not the object at all: no reason to give up what is there.
    if (length !== undefined && Number(length) !== size - start) {
      throw new ObjectClientError('mismatch', 'The server has another size of the object.');
    }
    return start;
  } catch (error) {
    answer.close();
    throw error;
  }
}

/** Whether a `Content-Range` goes from what we have to the end. */
function isPart(range: string | undefined, have: number, size: number): boolean {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/u.exec(range ?? '') ?? [];
  const isRightTotal = total === '*' || Number(total) === size;
  return Number(first) === have && Number(last) === size - 1 && isRightTotal;
}

function isExpired(error: unknown): boolean {
  return error instanceof ObjectClientError && expired.has(error.status ?? 0);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
