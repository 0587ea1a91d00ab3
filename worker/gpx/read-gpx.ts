import { closeSync, openSync, readSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { ByteDecoder } from './decode-bytes.ts';
import { PointMarkup } from './point-markup.ts';
import { PointReader, type GpxSink, type GpxSummary } from './read-points.ts';
import { GpxCancelled, GpxRefused } from './refused.ts';
import { XmlScanner } from './xml-scanner.ts';

export type { GpxSink, GpxSummary, GpxWaypoint } from './read-points.ts';
export { GpxCancelled, GpxRefused } from './refused.ts';

export interface ReadGpxOptions {
  /** Called after every piece of at most 32 KiB with its number of bytes. */
  readonly onBytes?: (bytes: number) => void;
  /** Asked before every piece; true stops reading. */
  readonly isCancelled?: () => boolean;
}

/** Bytes read from a file at once. */
const blockBytes = 262_144;
/** Bytes decoded and parsed at once, 1-2 ms of work. Pieces of 256 KiB are no faster and take twice the memory. */
const pieceBytes = 32_768;

/**
 * Reads a GPX document from a file or from pieces of bytes (which may be reused once the next one is asked for). Synchronous,
 * for a worker thread. Memory is bounded whatever the size: at most one unfinished token and one unfinished point of
 * 1 Mi characters each are held.
 * @throws GpxRefused the content is not importable; what the sink got until then must be undone.
 * @throws GpxCancelled
 * @throws errors of the file system, of the iterable and of the sink, as they are.
 */
export function readGpx(
  source: string | Iterable<Uint8Array>,
  sink: GpxSink,
  options: ReadGpxOptions = {},
): GpxSummary {
  const decoder = new ByteDecoder();
  const points = new PointReader(sink);
  const markup = new PointMarkup((text) => points.read(text));
  const scanner = new XmlScanner(markup);
  for (const bytes of pieces(source)) {
    if (options.isCancelled?.() === true) throw new GpxCancelled();
    const { text, isInvalid } = decoder.decode(bytes);
    scanner.push(text);
    if (isInvalid) scanner.refuse('encoding');
    options.onBytes?.(bytes.length);
  }
  const { text, isInvalid } = decoder.end();
  scanner.push(text);
  scanner.end(isInvalid);
  if (!markup.isGpx) throw new GpxRefused('not_gpx');
  return points.summary();
}

function* pieces(source: string | Iterable<Uint8Array>): Generator<Uint8Array> {
  const blocks = typeof source === 'string' ? fileBlocks(source) : source;
  for (const block of blocks) {
    for (let at = 0; at < block.length; at += pieceBytes) {
      yield block.subarray(at, at + pieceBytes);
    }
  }
}

function* fileBlocks(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const block = Buffer.allocUnsafe(blockBytes);
    for (;;) {
      const length = readSync(file, block, 0, blockBytes, null);
      if (length === 0) return;
      yield block.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
