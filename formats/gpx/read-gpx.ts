import { closeSync, openSync, readSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { GpxDocument } from './gpx-document.ts';
import type { RecordingSink, RecordingSummary } from '../points/sink.ts';
import { ReadingCancelled } from '../refused.ts';

export { ReadingCancelled, FileRefused } from '../refused.ts';

export interface ReadGpxOptions {
  /** Called after every piece of at most 256 KiB with its number of bytes. */
  readonly onBytes?: (bytes: number) => void;
  /** Asked before every piece; true stops reading. */
  readonly isCancelled?: () => boolean;
  /** For tests: `plain` has the whole document go the way that knows all of XML. */
  readonly path?: 'auto' | 'plain';
}

/** Bytes read from a file at once. */
const blockBytes = 262_144;

/**
 * Reads a GPX document from a file or from pieces of bytes (which may be reused once the next one is asked for). Synchronous,
 * for a worker thread. Memory is bounded whatever the size: at most one unfinished token and one unfinished point of
 * 1 Mi characters each are held.
 * @throws FileRefused the content is not importable; what the sink got until then must be undone.
 * @throws ReadingCancelled
 * @throws errors of the file system, of the iterable and of the sink, as they are.
 */
export function readGpx(
  source: string | Iterable<Uint8Array>,
  sink: RecordingSink,
  options: ReadGpxOptions = {},
): RecordingSummary {
  const document = new GpxDocument(sink, options.path ?? 'auto');
  let space = Buffer.alloc(blockBytes);
  let rest = space.subarray(0, 0);
  for (const bytes of typeof source === 'string' ? fileBlocks(source) : source) {
    const length = rest.length + bytes.length;
    if (length > space.length) space = Buffer.alloc(2 * length);
    rest.copy(space);
    space.set(bytes, rest.length);
    const block = space.subarray(0, length);
    let at = 0;
    for (let from = -1; at < length && at !== from; options.onBytes?.(at - from)) {
      if (options.isCancelled?.() === true) throw new ReadingCancelled();
      from = at;
      at = document.read(block, from);
    }
    rest = block.subarray(at);
  }
  options.onBytes?.(rest.length);
  return document.end(rest);
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
