import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What closes a document that grows, but not its last value, which may become another one: `</trk></gpx>`, `]}`. */
const closing = /(?<=[>\]}])(?:\s|<\/[\w:.-]{1,64}>|[\]}])*$/u;
const closingBytes = 512;

/** Whether a file begins with all that an older one holds, so that nothing is lost with that one. */
export function hasGrownFrom(older: string, blocks: Iterable<Uint8Array>): boolean {
  const fd = openSync(older, 'r');
  try {
    const { size } = fstatSync(fd);
    const end = readAt(fd, Math.max(0, size - closingBytes), closingBytes);
    const [closed = ''] = closing.exec(end.toString('latin1')) ?? [];
    const length = size - closed.length;
    let at = 0;
    for (const block of blocks) {
      const bytes = Math.min(block.length, length - at);
      if (!readAt(fd, at, bytes).equals(block.subarray(0, bytes))) return false;
      at += bytes;
      if (at === length) return true;
    }
    return at === length;
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, at: number, length: number): Buffer {
  const into = Buffer.allocUnsafe(length);
  return into.subarray(0, readSync(fd, into, 0, length, at));
}
