import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { Gunzip, Inflate } from 'fflate';
import { FileRefused } from '../refused.ts';
import {
  maxMembers,
  maxRatio,
  maxUnpackedBytes,
  type PackedEntry,
  type ReadAt,
} from './packed-entry.ts';
import { packedBytesAt } from './zip.ts';

/** Bytes unpacked at once: at most a thousand times as many come out. */
const blockBytes = 16_384;
/** Bytes at the end of a gzip member: its checksum and its size. */
const trailerBytes = 8;
/** Bytes of the smallest gzip file. */
const leastGzip = 18;

/** Whether a file that begins so is packed by gzip. */
export function isGzip(head: Buffer): boolean {
  return head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/**
 * Lists the file in a gzip file. The size in its trailer is not reliable, so it is unpacked once to know it.
 * @throws FileRefused
 */
export function gzipEntry(readAt: ReadAt, packedSize: number, name: string): PackedEntry {
  if (packedSize < leastGzip) throw new FileRefused('truncated');
  const packed: PackedEntry = { name, packing: 'gzip', at: 0, packedSize, size: 0, crc: 0 };
  let size = 0;
  for (const bytes of inflate(readAt, packed, 0)) {
    size += bytes.length;
    if (size > Math.min(maxUnpackedBytes, maxRatio * packedSize))
      throw new FileRefused('too_large');
  }
  return { ...packed, size };
}

/**
 * Unpacks an entry, never to more than it said.
 * @throws FileRefused `damaged` or `truncated`
 */
export function* unpack(readAt: ReadAt, entry: PackedEntry): Generator<Uint8Array> {
  const isGzipped = entry.packing === 'gzip';
  const at = isGzipped ? 0 : packedBytesAt(readAt, entry);
  const blocks =
    entry.packing === 'stored' ? packedBlocks(readAt, entry, at) : inflate(readAt, entry, at);
  let left = entry.size;
  let crc = 0;
  for (const bytes of blocks) {
    left -= bytes.length;
    if (left < 0) throw new FileRefused('damaged');
    crc = crc32(bytes, crc);
    yield bytes;
  }
  if (left > 0 || (!isGzipped && crc !== entry.crc)) throw new FileRefused('damaged');
}

function* packedBlocks(
  readAt: ReadAt,
  { packedSize }: PackedEntry,
  from: number,
): Generator<Uint8Array> {
  const block = Buffer.alloc(blockBytes);
  for (let done = 0; done < packedSize;) {
    const length = readAt(block.subarray(0, Math.min(blockBytes, packedSize - done)), from + done);
    if (length === 0) throw new FileRefused('truncated');
    done += length;
    yield block.subarray(0, length);
  }
}

/** The bytes of a stream; of a gzip file, which may be several one behind the other, the last checksum is compared. */
function* inflate(readAt: ReadAt, entry: PackedEntry, from: number): Generator<Uint8Array> {
  const out: Uint8Array[] = [];
  let crc = 0;
  let size = 0;
  let members = 1;
  const hear = (bytes: Uint8Array) => {
    out.push(bytes);
    crc = crc32(bytes, crc);
    size += bytes.length;
  };
  const stream = entry.packing === 'gzip' ? new Gunzip(hear) : new Inflate(hear);
  if (stream instanceof Gunzip) {
    stream.onmember = () => {
      [crc, size] = [0, 0];
      members += 1;
      if (members > maxMembers) throw new FileRefused('too_large');
    };
  }
  for (const block of packedBlocks(readAt, entry, from)) {
    try {
      // A copy: the stream may keep it. No block is called the last, because another member may begin in that.
      stream.push(Uint8Array.from(block), false);
    } catch (error) {
      // Its message says nothing that a user could use.
      throw error instanceof FileRefused ? error : new FileRefused('damaged');
    }
    yield* out.splice(0);
  }
  if (entry.packing === 'gzip') checkTrailer(readAt, entry, crc, size);
}

function checkTrailer(
  readAt: ReadAt,
  { packedSize }: PackedEntry,
  crc: number,
  size: number,
): void {
  const trailer = Buffer.alloc(trailerBytes);
  readAt(trailer, packedSize - trailerBytes);
  const isRight = trailer.readUInt32LE(0) === crc && trailer.readUInt32LE(4) === size % 2 ** 32;
  if (!isRight) throw new FileRefused('damaged');
}
