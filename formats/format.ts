import type { Buffer } from 'node:buffer';
import type { FormatName } from '../model/recorder-formats.ts';
import type { RecordingSink, RecordingSummary } from '../model/recording.ts';
import { Recording } from './points/recording.ts';
import { readBlocks, type BlockReader, type ReadOptions } from './read-blocks.ts';
import { damageReasons, FileRefused } from './refused.ts';

/** A format of recorder files. */
export interface Format {
  readonly name: FormatName;
  /** Whether a file that begins with these bytes, {@link headBytes} or all it has, is of this format. */
  readonly recognises: (head: Buffer) => boolean;
  /**
   * Reads a file given in pieces of any size, which may be reused once the next one is asked for. Synchronous, for a worker
   * thread; memory is bounded and time is linear whatever the content.
   * @throws FileRefused the content is not importable, or nothing of it can be salvaged; what the sink got until then must be undone.
   * @throws ReadingCancelled
   * @throws errors of the iterable and of the sink, as they are.
   */
  readonly read: (
    source: Iterable<Uint8Array>,
    sink: RecordingSink,
    options: ReadOptions,
  ) => RecordingSummary;
}

/** First bytes of a file in which its format shows. */
export const headBytes = 4_096;

/** Reads files by a reader that hands what it finds to a recording. */
export function recordedBy(
  read: (recording: Recording, options: ReadOptions) => BlockReader,
): Format['read'] {
  return (source, sink, options) => {
    const recording = new Recording(sink);
    return readRecording(source, read(recording, options), recording, options);
  };
}

/** Reads a file into a recording: all of it or, if that is what is wanted, what is whole before the damage. */
export function readRecording(
  source: Iterable<Uint8Array>,
  reader: BlockReader,
  recording: Recording,
  options: ReadOptions,
): RecordingSummary {
  let at = 0;
  const onBytes = (bytes: number): void => {
    at += bytes;
    options.onBytes?.(bytes);
  };
  try {
    readBlocks(source, reader, { ...options, onBytes });
    return recording.summary();
  } catch (error) {
    const isDamage = error instanceof FileRefused && damageReasons.has(error.reason);
    const summary = recording.summary();
    const points = summary.waypoints + summary.trackPoints + summary.routePoints;
    if (options.salvages !== true || !isDamage || points === 0) throw error;
    const { reason, line, record } = error;
    return { ...summary, broken: { reason, at, line, record } };
  }
}
