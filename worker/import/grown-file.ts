import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What closes a document that grows, but not its last value, which may become another one: `</trk></gpx>`, `]}`. */
const closing = /(?<=[>\]}])(?:\s|<\/[\w:.-]{1,64}>|[\]}])*$/u;
const closingBytes = 512;
const blockBytes = 65_536;

/** Whether a file begins with all that an older one holds, so that nothing is lost with that one. */
export function hasGrownFrom(older: string, path: string): boolean {
  const descriptors = [openSync(older, 'r'), openSync(path, 'r')] as const;
  try {
    return isBeginning(...descriptors);
  } finally {
    for (const fd of descriptors) closeSync(fd);
  }
}

function isBeginning(older: number, newer: number): boolean {
  const { size } = fstatSync(older);
  const end = readAt(older, Math.max(0, size - closingBytes), closingBytes);
  const [closed = ''] = closing.exec(end.toString('latin1')) ?? [];
  const length = size - closed.length;
  for (let at = 0; at < length; at += blockBytes) {
    const bytes = Math.min(blockBytes, length - at);
    if (!readAt(older, at, bytes).equals(readAt(newer, at, bytes))) return false;
  }
  return true;
}

function readAt(fd: number, at: number, length: number): Buffer {
  const into = Buffer.allocUnsafe(length);
  return into.subarray(0, readSync(fd, into, 0, length, at));
}
