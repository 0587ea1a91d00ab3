import type { TripMode } from '../../model/timeline-result.ts';
import type { Stated } from '../../storage/library/day-reader.ts';

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** How a stay or a mode came to be known: by rules, by what a recorder says, or by what the user says. */
export type Origin = 'found' | 'stated' | 'corrected';

/** What the user says of a span of time (model/correction.ts), units of 1e-7 degree. */
export interface Correction extends Span {
  readonly id: number;
  readonly kind: 'mode' | 'not_a_stay' | 'stay';
  readonly mode?: TripMode | undefined;
  readonly latE7?: number | undefined;
  readonly lonE7?: number | undefined;
}

/** A stay that a recorder or the user states, or a time in which there is none. */
export interface Visit extends Span {
  readonly isStay: boolean;
  /** Units of 1e-7 degree; undefined where observations are to tell. */
  readonly position: { readonly latE7: number; readonly lonE7: number } | undefined;
  readonly source: number;
  /** The correction that says so. */
  readonly correction?: number | undefined;
  /** It takes time from a visit that a recorder states. */
  readonly cuts?: boolean;
}

/** A way whose mode a recorder or the user states. */
export interface ModeSpan extends Span {
  readonly mode: TripMode;
  readonly correction?: number | undefined;
}

/** All that is stated of a period; spans of one list follow one another. */
export interface StatedSpans {
  readonly visits: readonly Visit[];
  readonly modes: readonly ModeSpan[];
}

export const nothingStated: StatedSpans = { visits: [], modes: [] };

/**
 * Puts together what recorders and the user state: the user is right where both speak of a time, and the last word
 * where the user has said two things.
 * @param stated by recorders, by their beginning.
 * @param corrections the oldest first.
 */
export function statedSpans(
  stated: readonly Stated[],
  corrections: readonly Correction[] = [],
): StatedSpans {
  const visits = stated.flatMap(({ startMs, endMs, latE7, lonE7, source }) =>
    latE7 === null || lonE7 === null
      ? []
      : [{ startMs, endMs, isStay: true, position: { latE7, lonE7 }, source }],
  );
  const modes = stated.flatMap(({ startMs, endMs, mode }) =>
    // Written by a format of ours only.
    mode === null ? [] : [{ startMs, endMs, mode: mode as TripMode }],
  );
  const newest = corrections.toReversed();
  const said = newest.flatMap((correction) => visitOf(correction, visits));
  return {
    visits: overlay<Visit>([...said, ...visits]),
    modes: overlay<ModeSpan>([
      ...newest.flatMap(({ id, startMs, endMs, mode }) =>
        mode === undefined ? [] : [{ startMs, endMs, mode, correction: id }],
      ),
      ...modes,
    ]),
  };
}

/** @param visits stated by recorders: a stay without a position is at one of these, if it has something of its time. */
function visitOf(
  { id, kind, startMs, endMs, latE7, lonE7 }: Correction,
  visits: readonly Visit[],
): Visit[] {
  if (kind === 'mode') return [];
  const isStay = kind === 'stay';
  const host = visits.find((visit) => visit.endMs > startMs && visit.startMs < endMs);
  const position = latE7 === undefined || lonE7 === undefined ? host?.position : { latE7, lonE7 };
  const cuts = host !== undefined;
  return [{ startMs, endMs, isStay, position, source: noSource, correction: id, cuts }];
}

/** What no file says. */
const noSource = -1;

/** Lays spans over one another: each loses what the ones before it cover. @returns them in order of time. */
function overlay<T extends Span>(spans: readonly T[]): T[] {
  const all: T[] = [];
  for (const span of spans)
    for (const part of partsBeside(span, all)) all.splice(endingAfter(all, part.startMs), 0, part);
  return all;
}

/** The parts of a span that none of others covers. @param others that follow one another. */
function partsBeside<T extends Span>(span: T, others: readonly Span[]): T[] {
  const parts: T[] = [];
  let { startMs } = span;
  for (let at = endingAfter(others, startMs); at < others.length; at += 1) {
    const other = others[at]!;
    if (other.startMs >= span.endMs) break;
    if (other.startMs > startMs) parts.push({ ...span, startMs, endMs: other.startMs });
    startMs = other.endMs;
  }
  if (startMs < span.endMs) parts.push({ ...span, startMs });
  return parts;
}

/** Index of the first span that ends after an instant. @param spans that follow one another. */
function endingAfter(spans: readonly Span[], timeMs: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.endMs <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The span that an instant lies within, its ends aside. @param spans that follow one another. */
export function spanAt<T extends Span>(spans: readonly T[], timeMs: number): T | undefined {
  const span = spans[endingAfter(spans, timeMs)];
  return span !== undefined && span.startMs < timeMs ? span : undefined;
}

/** Whether one of them has something of a time. @param spans that follow one another. */
export function overlaps(spans: readonly Span[], fromMs: number, toMs: number): boolean {
  const span = spans[endingAfter(spans, fromMs)];
  return span !== undefined && span.startMs < toMs;
}
