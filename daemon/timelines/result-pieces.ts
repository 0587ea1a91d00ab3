import { createGunzip } from 'node:zlib';
import type { TimelineJobRecord } from '../../model/timeline-job.ts';

const pieceBytes = 65_536;

/**
 * The JSON text of a job with its result, in pieces: the result is inflated by the threads of Node.js and never parsed.
 * @param result JSON, compressed with gzip.
 */
export async function* recordWithResult(
  record: TimelineJobRecord,
  result: Uint8Array,
): AsyncGenerator<string | Uint8Array> {
  yield `${JSON.stringify(record).slice(0, -1)},"result":`;
  const inflated = createGunzip({ chunkSize: pieceBytes });
  inflated.end(result);
  // Leaving this loop early, because the client is gone, ends the inflating.
  yield* inflated as AsyncIterable<Buffer>;
  yield '}';
}
