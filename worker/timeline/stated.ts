import type { TripMode } from '../../model/timeline-result.ts';
import type { Stated } from '../../storage/library/day-reader.ts';

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A stay that a recorder states, units of 1e-7 degree. */
export interface Visit extends Span {
  readonly latE7: number;
  readonly lonE7: number;
  readonly source: number;
}

/** A way whose mode a recorder states. */
export interface ModeSpan extends Span {
  readonly mode: TripMode;
}

/** All that recorders state of a period; spans of one kind follow one another. */
export interface StatedSpans {
  readonly visits: readonly Visit[];
  readonly modes: readonly ModeSpan[];
}

export const nothingStated: StatedSpans = { visits: [], modes: [] };

/** @param all by their beginning. */
export function statedSpans(all: readonly Stated[]): StatedSpans {
  const visits = all.flatMap(({ startMs, endMs, latE7, lonE7, source }) =>
    latE7 === null || lonE7 === null ? [] : [{ startMs, endMs, latE7, lonE7, source }],
  );
  const modes = all.flatMap(({ startMs, endMs, mode }) =>
    // Written by a format of ours only.
    mode === null ? [] : [{ startMs, endMs, mode: mode as TripMode }],
  );
  return { visits: inTurn(visits), modes: inTurn(modes) };
}

/** Has each span begin at the end of the one before; what lies within an earlier one is dropped. */
function inTurn<T extends Span>(spans: readonly T[]): T[] {
  let lastMs = Number.NEGATIVE_INFINITY;
  return spans.flatMap((span) => {
    const startMs = Math.max(span.startMs, lastMs);
    if (span.endMs <= startMs) return [];
    lastMs = span.endMs;
    return [{ ...span, startMs }];
  });
}

/** The span that an instant lies within, its ends aside. @param modes that follow one another. */
export function modeAt(modes: readonly ModeSpan[], timeMs: number): ModeSpan | undefined {
  let [low, high] = [0, modes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (modes[middle]!.endMs <= timeMs) low = middle + 1;
    else high = middle;
  }
  const span = modes[low];
  return span !== undefined && span.startMs < timeMs ? span : undefined;
}
