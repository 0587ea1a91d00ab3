import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** A file of random bytes that begins with `tag`, on the disk. @returns its SHA-256. */
export function makeFile(path: string, bytes: number, tag: string): string {
  const hash = createHash('sha256');
  const piece = randomBytes(1_048_576);
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes; at += piece.length) {
    const part =
      at === 0 ? Buffer.concat([Buffer.from(tag), piece]).subarray(0, piece.length) : piece;
    const whole = part.subarray(0, bytes - at);
    hash.update(whole);
    writeSync(file, whole);
  }
  // Whoever syncs a file of the same disk next would wait for this one as well.
  fsyncSync(file);
  closeSync(file);
  return hash.digest('hex');
}

/** Transfers with curl. @returns seconds. */
export async function curl(words: readonly string[]): Promise<number> {
  const format = ['-sf', '-o', '/dev/null', '-w', '%{time_total}'];
  const child = spawn('curl', [...format, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  const code = new Promise((done) => child.on('close', done));
  const seconds = Number(await text(child.stdout));
  if ((await code) !== 0) throw new Error('a transfer with curl failed');
  return seconds;
}

/** Syncs a file to the disk. @returns seconds. */
export async function syncFile(path: string): Promise<number> {
  const file = await open(path, 'r+');
  const started = performance.now();
  await file.datasync();
  await file.close();
  return (performance.now() - started) / 1_000;
}
