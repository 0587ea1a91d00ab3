import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes read at once. */
export const blockBytes = 262_144;

/** Opens a file until the end of the block: `using file = openFile(path);` */
export function openFile(
  path: string,
  flags: string | number = 'r',
  mode?: number,
): Disposable & { readonly fd: number } {
  const fd = openSync(path, flags, mode);
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}

/** The first bytes of a file, at most so many. */
export function firstBytes(path: string, most: number, flags?: number): Buffer {
  using file = openFile(path, flags);
  const bytes = Buffer.alloc(most);
  return bytes.subarray(0, readSync(file.fd, bytes));
}

/** Reads a file block by block, each valid until the next is asked for. */
export function* fileBlocks(path: string): Generator<Uint8Array> {
  using file = openFile(path);
  yield* blocksOf(file.fd);
}

/** The same of an open file. @param block to read into. */
export function* blocksOf(
  fd: number,
  block: Buffer = Buffer.allocUnsafe(blockBytes),
): Generator<Uint8Array> {
  for (;;) {
    const length = readSync(fd, block);
    if (length === 0) return;
    yield block.subarray(0, length);
  }
}
