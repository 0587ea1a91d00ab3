import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { open, rename, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Link, ObjectBody } from '../../model/objects.ts';
import type { Connection } from './connection.ts';
import { hashFile } from './identify-file.ts';
import { ObjectClientError } from './object-error.ts';
import { bodyOf } from './request.ts';

export interface TransferOptions {
  /** Called with the bytes that are there so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DownloadOptions extends TransferOptions {
  /** Where it is written while it is not complete; kept when the download fails or is aborted, to go on from. */
  readonly partPath: string;
}

/**
 * Fetches the content behind a link into the part file, going on where an earlier download stopped; resolves when all of it is there,
 * checked and synced. A wrong content is fetched a second time from its beginning, then it is an error.
 * @throws ObjectClientError; the signal's reason; errors of the disk
 */
export async function fetchContent(
  connection: Connection,
  object: ObjectBody,
  link: Link,
  options: DownloadOptions,
): Promise<void> {
  const { partPath, signal } = options;
  let isSecond = false;
  for (let tries = 0; ;) {
    const before = await sizeOf(partPath);
    try {
      await fetchOnce(connection, object, link, options);
      return;
    } catch (error) {
      const isWrong = error instanceof ObjectClientError && error.failure === 'mismatch';
      if (isWrong) await rm(partPath, { force: true });
      if (isWrong && !isSecond) {
        isSecond = true;
        continue;
      }
      // As long as it goes on, it may be cut off as often as it likes.
      tries = (await sizeOf(partPath)) > before ? 0 : tries + 1;
      const pauseMs = connection.pauseAfter(error, tries);
      if (pauseMs === undefined) throw error;
      await delay(pauseMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** Puts a complete part file in its place. */
export async function placeContent(partPath: string, path: string): Promise<void> {
  await rename(partPath, path);
}

async function fetchOnce(
  connection: Connection,
  object: ObjectBody,
  link: Link,
  options: DownloadOptions,
): Promise<void> {
  const { partPath, signal, onProgress } = options;
  const { oid, size } = object;
  if ((await sizeOf(partPath)) > size) await rm(partPath, { force: true });
  const hash = createHash('sha256');
  const file = await open(partPath, 'a', 0o600);
  try {
    const have = await hashFile(partPath, hash, signal);
    onProgress?.(have);
    if (have < size) await append(connection, { object, link, have, hash, file }, options);
    else if (hash.digest('hex') !== oid) throw wrongContent();
    await file.sync();
  } finally {
    await file.close();
  }
}

interface Appending {
  readonly object: ObjectBody;
  readonly link: Link;
  /** Bytes that are there, and in the hash. */
  readonly have: number;
  readonly hash: Hash;
  readonly file: FileHandle;
}

async function append(
  connection: Connection,
  { object, link, have, hash, file }: Appending,
  options: DownloadOptions,
): Promise<void> {
  const { oid, size } = object;
  const { signal, onProgress, partPath } = options;
  // The first try sends no Range: not every server has it, and the specification does not know 206.
  const range = have === 0 ? {} : { range: `bytes=${have}-` };
  const accepted = have === 0 ? [200] : [200, 206, 416];
  const call = {
    method: 'GET',
    operation: 'download',
    oid,
    headers: range,
    accepted,
    signal,
  } as const;
  const answer = await connection.follow(link, call, false);
  const start = await startOf(answer, have, size);
  if (start === undefined) {
    answer.destroy();
    await truncate(partPath, 0);
    throw new ObjectClientError('stalled', 'The server cannot go on where it stopped.');
  }
  const whole = start === have ? hash : createHash('sha256');
  if (start !== have) await truncate(partPath, 0);
  let received = start;
  for await (const piece of bodyOf(answer, signal)) {
    received += piece.length;
    if (received > size) throw wrongContent();
    whole.update(piece);
    await file.writeFile(piece);
    onProgress?.(received);
  }
  if (received < size) {
    throw new ObjectClientError('stalled', 'The connection ended too early.');
  }
  if (whole.digest('hex') !== oid) throw wrongContent();
}

/**
 * Where the bytes of an answer begin: at 0, or where we asked for.
 * @returns undefined when there is nothing to be had from there.
 * @throws ObjectClientError protocol for a part we did not ask for, or bytes in disguise.
 */
async function startOf(
  answer: IncomingMessage,
  have: number,
  size: number,
): Promise<number | undefined> {
  const { 'content-encoding': coding = 'identity', 'content-range': range } = answer.headers;
  if (coding !== 'identity') {
    answer.destroy();
    throw new ObjectClientError('protocol', 'The server sent the content in another coding.');
  }
  if (answer.statusCode === 416) return undefined;
  if (answer.statusCode === 200) return 0;
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/u.exec(range ?? '');
  const isRight =
    Number(match?.[1]) === have && (match?.[3] === '*' || Number(match?.[3]) === size);
  if (isRight) return have;
  answer.destroy();
  throw new ObjectClientError('protocol', 'The server sent another part than it was asked for.');
}

function wrongContent(): ObjectClientError {
  return new ObjectClientError('mismatch', 'The bytes are not those of the object.');
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}
