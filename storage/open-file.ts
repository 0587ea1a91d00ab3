import { closeSync, openSync } from 'node:fs';

/** Opens a file until the end of the block: `using file = openFile(path);` */
export function openFile(
  path: string,
  flags: string | number = 'r',
  mode?: number,
): Disposable & { readonly fd: number } {
  const fd = openSync(path, flags, mode);
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}
