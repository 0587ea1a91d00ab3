import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  foreignObjectSchema,
  objectMediaType,
  type Link,
  type ObjectBody,
} from '../../model/objects.ts';
import { parseJson } from '../../model/parse-json.ts';
import { resolveLink } from './addresses.ts';
import { jsonHeaders, type Connection, type LinkCall, type Purpose } from './connection.ts';
import type { TransferOptions } from './download.ts';
import { ObjectClientError } from './object-error.ts';
import { textBytes } from './request.ts';

const pieceBytes = 1_048_576;
/** A client that is stopped ends this much later at most. */
const cancelMs = 2_000;
/** A link is answered so; anything else is an error. */
const accepted = [200, 201];

export interface UploadOutcome {
  /** False when the server held the object already. */
  readonly isSent: boolean;
}

/**
 * Announces an object, sends it unless it is there, and has it confirmed where the server wants that. Announced anew for each
 * try: links are good for a time only, and another client may have sent it meanwhile.
 * @throws ObjectClientError; the signal's reason; errors of the disk
 */
export async function uploadFile(
  connection: Connection,
  path: string,
  object: ObjectBody,
  options: TransferOptions,
): Promise<UploadOutcome> {
  const { signal, onProgress } = options;
  const { oid, size } = object;
  const { retries } = connection;
  const purpose = { operation: 'upload', oid, signal } as const;
  let links: UploadLinks;
  try {
    await retries.trying(signal, async () => {
      links = await announce(connection, object, purpose);
      if (links === undefined) return;
      await finish(connection, purpose, links.upload, {
        method: 'PUT',
        // Not the type of the file: signatures of other stores cover it.
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        body: () => Readable.from(contentOf(path, size, onProgress), { objectMode: false }),
      });
    });
    const verify = links?.verify;
    if (verify !== undefined) {
      const body = JSON.stringify({ oid, size });
      const headers = { accept: objectMediaType, ...jsonHeaders(body) };
      await retries.trying(signal, () =>
        finish(connection, purpose, verify, { method: 'POST', headers, body: () => body }),
      );
    }
  } catch (error) {
    await cancel(connection, purpose, links?.cancel);
    throw error;
  }
  return { isSent: links !== undefined };
}

/** Gives back the room that an announcement keeps; where that fails, it ends by itself. */
async function cancel(
  connection: Connection,
  purpose: Purpose,
  link: Link | undefined,
): Promise<void> {
  if (link === undefined) return;
  // The signal of a client that is stopped has fired.
  const signal = AbortSignal.timeout(cancelMs);
  const call = { method: 'DELETE', headers: { accept: objectMediaType } } as const;
  await finish(connection, { ...purpose, signal }, link, call).catch(() => undefined);
}

type UploadLinks = Awaited<ReturnType<typeof announce>>;

/** @returns where to send it; undefined when it is there. */
async function announce(connection: Connection, { oid, size }: ObjectBody, purpose: Purpose) {
  const call = { method: 'POST', path: '/objects', body: { oid, size } } as const;
  const { status, body, url } = await connection.call(purpose, call);
  if (status === 200) return undefined;
  const told = foreignObjectSchema.safeParse(parseJson(body)).data;
  // The body of a 202 need not name the object.
  if ((told?.oid ?? oid) !== oid) {
    throw new ObjectClientError('protocol', 'The server described another object.');
  }
  const { upload, verify, cancel: back } = told?._links ?? {};
  if (status !== 202 || upload === undefined) {
    throw new ObjectClientError('protocol', 'The server did not say where to send the object.');
  }
  return {
    upload: resolveLink(upload, url),
    verify: verify && resolveLink(verify, url),
    cancel: back && resolveLink(back, url),
  };
}

/** Follows a link and takes note of its answer, which says nothing but that it was done. */
async function finish(
  connection: Connection,
  purpose: Purpose,
  link: Link,
  call: Omit<LinkCall, 'accepted'>,
): Promise<void> {
  const answer = await connection.follow(purpose, link, { ...call, accepted });
  await answer.text(textBytes);
}

/** A file as it was when it was hashed: neither more nor less is ever sent. */
async function* contentOf(
  path: string,
  size: number,
  onProgress: TransferOptions['onProgress'],
): AsyncGenerator<Buffer> {
  let sent = 0;
  const pieces = size === 0 ? [] : createReadStream(path, { highWaterMark: pieceBytes, end: size });
  for await (const piece of pieces) {
    sent += (piece as Buffer).length;
    if (sent > size) break;
    yield piece as Buffer;
    onProgress?.(sent);
  }
  if (sent !== size) {
    throw new ObjectClientError('mismatch', 'The file has changed since it was looked at.');
  }
}
