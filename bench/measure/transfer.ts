import { createHash, randomBytes } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, statSync, writeSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** A file of random bytes that begins with `tag`, on the disk. @returns its SHA-256. */
export function makeFile(path: string, bytes: number, tag: string): string {
  const hash = createHash('sha256');
  const piece = randomBytes(1_048_576);
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes; at += piece.length) {
    if (at === 0) piece.write(tag);
    const part = piece.subarray(0, bytes - at);
    hash.update(part);
    writeSync(file, part);
  }
  // A server that syncs a file of the same disk next would wait for this one as well.
  fsyncSync(file);
  closeSync(file);
  return hash.digest('hex');
}

/** Sends a file. @returns seconds until it was answered. */
export async function upload(
  port: number,
  path: string,
  authorization: string,
  file: string,
): Promise<number> {
  const started = performance.now();
  const headers = { authorization, 'content-length': String(statSync(file).size) };
  const outgoing = request({ host: '127.0.0.1', port, path, method: 'PUT', headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  await pipeline(createReadStream(file, { highWaterMark: 1_048_576 }), outgoing);
  return secondsOf(await answered, started);
}

/** Reads an object to its end. @returns seconds. */
export function download(port: number, path: string, authorization: string): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { authorization } }, (answer) =>
      resolve(secondsOf(answer, started)),
    )
      .once('error', reject)
      .end();
  });
}

async function secondsOf(answer: IncomingMessage, started: number): Promise<number> {
  for await (const _piece of answer);
  if ((answer.statusCode ?? 0) >= 300)
    throw new Error(`a transfer was answered ${answer.statusCode}`);
  return (performance.now() - started) / 1_000;
}
