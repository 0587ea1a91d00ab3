import { close, closeSync, constants, fstatSync, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { errorCode } from '../../model/error-code.ts';
import type { OpenContent } from './content-store.ts';

/** Large enough that a disk is read in long runs. */
const pieceBytes = 1_048_576;
/** Closing the last handle of a larger file that was deleted meanwhile frees its blocks, which takes a while. */
const quicklyClosedBytes = 1_048_576;

/** A pipe in the place of a file would wait for a writer. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const [openFile, readFile] = [promisify(open), promisify(read)];

/**
 * Opens a stored file, if it is there. Plain descriptors, and no thread for looking at or closing an open file, which touches no
 * disk: with Node's file handles a small object costs twice as much.
 */
export async function openStored(path: string): Promise<OpenContent | undefined> {
  const descriptor = await openFile(path, openFlags).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (descriptor === undefined) return undefined;
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) {
    closeSync(descriptor);
    return undefined;
  }
  const { size } = stats;
  let isOpen = true;
  return {
    size,
    read: (buffer, at) => readFully(descriptor, buffer, at),
    pieces: () => piecesOf(descriptor, size),
    close() {
      // A number that is closed twice may be another file's by then.
      if (!isOpen) return;
      isOpen = false;
      if (size <= quicklyClosedBytes) closeSync(descriptor);
      else close(descriptor);
    },
  };
}

async function readFully(descriptor: number, buffer: Uint8Array, at: number): Promise<number> {
  let count = 0;
  while (count < buffer.length) {
    const { bytesRead } = await readFile(
      descriptor,
      buffer,
      count,
      buffer.length - count,
      at + count,
    );
    if (bytesRead === 0) break;
    count += bytesRead;
  }
  return count;
}

async function* piecesOf(descriptor: number, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += pieceBytes) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, size - at));
    yield buffer.subarray(0, await readFully(descriptor, buffer, at));
  }
}
