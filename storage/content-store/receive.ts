import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { WaypointError } from '../../model/failure.ts';
import type { Oid } from './content-store.ts';

/**
 * Writes a source to a new file while checking it, and syncs it. The file is read-only from then on.
 * @throws WaypointError content_mismatch, with nothing left; errors of the disk and of the source, likewise.
 */
export async function receive(
  path: string,
  oid: Oid,
  size: number,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await open(path, flags, 0o600);
  try {
    await writeChecked(file, oid, size, source);
    await file.chmod(0o444);
    // Not fdatasync, which may leave out the mode.
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

/** Bytes of one write, from each of two buffers. */
const writeBytes = 524_288;

/** The disk is kept busy from the start: what is left for the sync at the end is what is waited for. */
const syncBytes = 8_388_608;

/** Hashes and gathers what comes while the former bytes are being written. */
async function writeChecked(
  file: FileHandle,
  oid: Oid,
  size: number,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const hash = createHash('sha256');
  const writer = new Writer(file, size);
  let received = 0;
  try {
    for await (const chunk of source) {
      received += chunk.length;
      if (received > size) throw new WaypointError('content_mismatch');
      hash.update(chunk);
      await writer.take(chunk);
    }
    await writer.finish();
  } finally {
    // The file must not be closed under a write.
    await writer.settled();
  }
  if (received !== size || hash.digest('hex') !== oid) throw new WaypointError('content_mismatch');
}

/** Writes to a file from two buffers in turn: one is filled while the other is written. */
class Writer {
  readonly #file: FileHandle;
  #filling: Uint8Array;
  #other: Uint8Array;
  #filled = 0;
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #unsynced = 0;
  #syncFailure: { readonly cause: unknown } | undefined;

  /** @param size bytes to come; small contents need small buffers. */
  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#filling = Buffer.allocUnsafeSlow(Math.min(size, writeBytes));
    this.#other = size <= writeBytes ? this.#filling : Buffer.allocUnsafeSlow(writeBytes);
  }

  /** Copies a chunk; waits where the disk is behind. */
  async take(chunk: Uint8Array): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#filled === this.#filling.length) await this.#write();
      const part = rest.subarray(0, this.#filling.length - this.#filled);
      this.#filling.set(part, this.#filled);
      this.#filled += part.length;
      rest = rest.subarray(part.length);
    }
  }

  async finish(): Promise<void> {
    if (this.#filled > 0) await this.#write();
    await this.#writing;
    await this.#syncing;
    if (this.#syncFailure !== undefined) throw this.#syncFailure.cause;
  }

  /** Resolves when nothing is being written any more, whatever became of it. */
  async settled(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    await this.#syncing;
  }

  /** One at a time. The system tells of a failure once: the sync at the end may know nothing of it. */
  #syncSoon(): void {
    if (this.#unsynced < syncBytes || this.#syncing !== undefined) return;
    this.#unsynced = 0;
    this.#syncing = this.#file
      .datasync()
      .catch((cause: unknown) => {
        this.#syncFailure = { cause };
      })
      .finally(() => {
        this.#syncing = undefined;
      });
  }

  async #write(): Promise<void> {
    await this.#writing;
    this.#writing = writeFully(this.#file, this.#filling.subarray(0, this.#filled));
    // Looked at before the next write; until then nobody waits for it.
    this.#writing.catch(() => undefined);
    this.#unsynced += this.#filled;
    [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#filled = 0;
    this.#syncSoon();
  }
}

/** A disk that is nearly full writes less than it is given, and says why only when asked again. */
async function writeFully(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
