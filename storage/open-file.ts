import { closeSync, openSync, readSync } from 'node:fs';

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
export function firstBytes(path: string, most: number): Buffer {
  using file = openFile(path);
  const bytes = Buffer.alloc(most);
  return bytes.subarray(0, readSync(file.fd, bytes));
}
