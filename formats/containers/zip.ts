import { Buffer, isUtf8 } from 'node:buffer';
import type { FailureReason } from '../../model/import.ts';
import { FileRefused } from '../refused.ts';
import {
  maxEntries,
  maxFolders,
  maxRatio,
  maxUnpackedBytes,
  type Listing,
  type PackedEntry,
  type ReadAt,
} from './packed-entry.ts';

const endSignature = 0x06054b50;
const endBytes = 22;
/** A comment may follow the end. */
const maxComment = 65_535;
const locatorSignature = 0x07064b50;
const locatorBytes = 20;
const end64Signature = 0x06064b50;
const end64Bytes = 56;
const entrySignature = 0x02014b50;
const entryBytes = 46;
const localSignature = 0x04034b50;
const localBytes = 30;
/** Bytes of a directory: 100,000 names of 100 characters. */
const maxDirectoryBytes = 16_777_216;
/** In a 32-bit field: the extra field has the number (ZIP64). */
const inZip64 = 0xffffffff;
const isEncrypted = 1;
/** As in folders: what a system has put beside the user's files, and `__MACOSX/._track.gpx`. */
const hidden = /(?:^|\/)\.(?!\.?(?:\/|$))/;
const linkMode = 0o120000;
const modeMask = 0o170000;

/** Whether a file that begins so is a zip. */
export function isZip(head: Buffer): boolean {
  if (head.length < 4) return false;
  const signature = head.readUInt32LE(0);
  return signature === localSignature || signature === endSignature;
}

/**
 * Lists a zip by its directory (APPNOTE 6.3.10, with ZIP64): the files that are wanted, and those that cannot be read.
 * @throws FileRefused for the whole of it
 */
export function listZip(
  readAt: ReadAt,
  size: number,
  isWanted: (name: string) => boolean,
): Listing {
  const { count, directoryAt, directorySize } = findDirectory(readAt, size);
  if (count > maxEntries || directorySize > maxDirectoryBytes) throw new FileRefused('too_large');
  const directory = Buffer.alloc(directorySize);
  if (readAt(directory, directoryAt) < directorySize) throw new FileRefused('truncated');
  const entries: PackedEntry[] = [];
  const refused: { name: string; reason: FailureReason }[] = [];
  let unpacked = 0;
  let at = 0;
  for (let number = 0; number < count; number += 1) {
    const { entry, reason, end } = readEntry(directory, at);
    at = end;
    if (entry.name.endsWith('/') || hidden.test(entry.name) || !isWanted(entry.name)) continue;
    const why = reason ?? refusalOf(entry, unpacked);
    if (why !== undefined) refused.push({ name: entry.name, reason: why });
    else {
      entries.push(entry);
      unpacked += entry.size;
    }
  }
  if (sharePackedBytes(entries)) throw new FileRefused('damaged');
  return { entries, refused };
}

/** Whether two entries share packed bytes, so that unpacking all takes much longer than the archive is large. */
function sharePackedBytes(entries: readonly PackedEntry[]): boolean {
  let end = 0;
  for (const { at, packedSize } of entries.toSorted((a, b) => a.at - b.at)) {
    if (at < end) return true;
    end = at + localBytes + packedSize;
  }
  return false;
}

/** Where the packed bytes of an entry begin, behind its local header. @throws FileRefused */
export function packedBytesAt(readAt: ReadAt, { at }: PackedEntry): number {
  const header = Buffer.alloc(localBytes);
  const length = readAt(header, at);
  if (length < localBytes || header.readUInt32LE(0) !== localSignature)
    throw new FileRefused('damaged');
  return at + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
}

function refusalOf(
  { name, size, packedSize }: PackedEntry,
  unpacked: number,
): FailureReason | undefined {
  const parts = name.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isPlain || /^[A-Za-z]:|\0/.test(name)) return 'unsafe_name';
  if (parts.length - 1 > maxFolders) return 'too_deep';
  if (size > maxRatio * Math.max(packedSize, 1)) return 'too_large';
  return unpacked + size > maxUnpackedBytes ? 'too_large' : undefined;
}

interface Directory {
  readonly count: number;
  readonly directoryAt: number;
  readonly directorySize: number;
}

function findDirectory(readAt: ReadAt, size: number): Directory {
  const tail = Buffer.alloc(Math.min(size, endBytes + maxComment + locatorBytes));
  const tailAt = size - tail.length;
  readAt(tail, tailAt);
  let at = tail.length - endBytes;
  while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at -= 1;
  if (at < 0) throw new FileRefused('truncated');
  const directory = {
    count: tail.readUInt16LE(at + 10),
    directorySize: tail.readUInt32LE(at + 12),
    directoryAt: tail.readUInt32LE(at + 16),
  };
  const locatorAt = at - locatorBytes;
  const has64 = locatorAt >= 0 && tail.readUInt32LE(locatorAt) === locatorSignature;
  return has64 ? readEnd64(readAt, safe(tail.readBigUInt64LE(locatorAt + 8))) : directory;
}

function readEnd64(readAt: ReadAt, at: number): Directory {
  const end = Buffer.alloc(end64Bytes);
  const length = readAt(end, at);
  if (length < end64Bytes || end.readUInt32LE(0) !== end64Signature)
    throw new FileRefused('damaged');
  return {
    count: safe(end.readBigUInt64LE(32)),
    directorySize: safe(end.readBigUInt64LE(40)),
    directoryAt: safe(end.readBigUInt64LE(48)),
  };
}

function readEntry(
  directory: Buffer,
  at: number,
): {
  readonly entry: PackedEntry;
  readonly reason: FailureReason | undefined;
  readonly end: number;
} {
  const nameAt = at + entryBytes;
  if (nameAt > directory.length || directory.readUInt32LE(at) !== entrySignature) {
    throw new FileRefused('damaged');
  }
  const extraAt = nameAt + directory.readUInt16LE(at + 28);
  const commentAt = extraAt + directory.readUInt16LE(at + 30);
  const end = commentAt + directory.readUInt16LE(at + 32);
  if (end > directory.length) throw new FileRefused('damaged');
  const method = directory.readUInt16LE(at + 10);
  const told = [
    directory.readUInt32LE(at + 24),
    directory.readUInt32LE(at + 20),
    directory.readUInt32LE(at + 42),
  ];
  const [size = 0, packedSize = 0, headerAt = 0] = with64(
    told,
    directory.subarray(extraAt, commentAt),
  );
  const entry: PackedEntry = {
    name: nameOf(directory.subarray(nameAt, extraAt)),
    packing: method === 0 ? 'stored' : 'deflate',
    at: headerAt,
    packedSize,
    size,
    crc: directory.readUInt32LE(at + 16),
  };
  const mode = directory.readUInt16LE(at + 40) & modeMask;
  return { entry, reason: refusedKind(directory.readUInt16LE(at + 8), method, mode), end };
}

function refusedKind(flags: number, method: number, mode: number): FailureReason | undefined {
  if ((flags & isEncrypted) !== 0) return 'encrypted';
  if (method !== 0 && method !== 8) return 'packing';
  return mode === linkMode ? 'unreadable' : undefined;
}

/** Replaces the numbers that did not fit into 32 bits, in the order in which the extra field tells them. */
function with64(told: readonly number[], extra: Buffer): number[] {
  let values: Buffer = Buffer.alloc(0);
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) values = extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  let at = 0;
  return told.map((value) => {
    if (value !== inZip64 || at + 8 > values.length) return value;
    at += 8;
    return safe(values.readBigUInt64LE(at - 8));
  });
}

/** Some programs write backslashes, or `./` before names; names that are not UTF-8 keep their ASCII. */
function nameOf(bytes: Buffer): string {
  const name = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replaceAll('\\', '/');
  return name.replaceAll(/(^|\/)(?:\.\/)+/g, '$1');
}

function safe(number: bigint): number {
  if (number > Number.MAX_SAFE_INTEGER) throw new FileRefused('damaged');
  return Number(number);
}
