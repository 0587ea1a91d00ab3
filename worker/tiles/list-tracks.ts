import { Buffer } from 'node:buffer';
import { formatDate } from '../../model/calendar-date.ts';
import { limits } from '../../model/limits.ts';
import { formatTime } from '../../model/time.ts';
import type { TrackReader } from '../../storage/library/track-reader.ts';
import { boxesOf, type BoxE7 } from '../../storage/units.ts';
import { periodOf, type TrackListTask } from './task.ts';
import type { CutLine } from './line-cutter.ts';
import { TrackWalk, type WalkedLine } from './walk-tracks.ts';

/**
 * Writes the answer of `GET /api/tracks`: lines as a GeoJSON FeatureCollection, as many as may be.
 * @throws as makeTile
 */
export function listTracks(task: TrackListTask, reader: TrackReader, look: () => void): string {
  const list = new TrackList(task, reader);
  for (const box of boxesOf(task.bbox)) list.add(box, look);
  return list.text();
}

/** To 0.1 m, which is what a double writes shortest. */
function rounded(valueE7: number): number {
  return Math.round(valueE7 / 10) / 1_000_000;
}

class TrackList {
  readonly #task: TrackListTask;
  readonly #reader: TrackReader;
  readonly #features: string[] = [];
  #bytes = 0;
  #isTruncated = false;

  constructor(task: TrackListTask, reader: TrackReader) {
    this.#task = task;
    this.#reader = reader;
  }

  add(box: BoxE7, look: () => void): void {
    const { zoom, fromMs, toMs } = this.#task;
    const period = periodOf(this.#task);
    const walk = new TrackWalk({ reader: this.#reader, box, period, zoom, look });
    this.#addAll(walk.days());
    if (fromMs !== undefined || toMs !== undefined) return;
    for (const kind of ['track', 'route'] as const) this.#addAll(walk.untimed(kind));
  }

  text(): string {
    const features = this.#features.join(',\n');
    return `{"type":"FeatureCollection","features":[${features}],"truncated":${this.#isTruncated}}`;
  }

  #addAll(walked: Iterable<WalkedLine>): void {
    if (this.#isTruncated) return;
    for (const line of walked) {
      for (const part of line.lines) this.#addLine(line, part);
      if (this.#isTruncated) return;
    }
  }

  #addLine(line: WalkedLine, { places, firstMs, lastMs }: CutLine): void {
    const { day, kind, name, points: n } = line;
    const isTimed = day !== undefined;
    const properties = {
      kind,
      import: line.fileId,
      ...(isTimed && {
        day: formatDate(day),
        first_time: formatTime(firstMs),
        last_time: formatTime(lastMs),
      }),
      ...(name !== undefined && { name }),
      n,
    };
    const positions: string[] = [];
    for (let at = 0; at < places.length; at += 2)
      positions.push(`[${rounded(places[at]!)},${rounded(places[at + 1]!)}]`);
    const isPoint = positions.length === 1;
    const coordinates = isPoint ? positions[0]! : `[${positions.join(',')}]`;
    const geometry = `{"type":"${isPoint ? 'Point' : 'LineString'}","coordinates":${coordinates}}`;
    const text = `{"type":"Feature","geometry":${geometry},"properties":${JSON.stringify(properties)}}`;
    this.#bytes += Buffer.byteLength(text) + 2;
    const isFull = this.#features.length >= this.#task.limit || this.#bytes > limits.tracksBytes;
    this.#isTruncated ||= isFull;
    if (!isFull) this.#features.push(text);
  }
}
