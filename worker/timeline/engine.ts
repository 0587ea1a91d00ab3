import type { AdminLookup } from '../../model/admin-place.ts';
import type { PositionColumns } from '../../storage/day-blob.ts';
import type { DaySource } from '../../storage/library/day-reader.ts';
import { Totals } from './aggregate/totals.ts';
import type { Calendar } from './calendar/calendar.ts';
import type { Zone } from './calendar/zone.ts';
import { Detector } from './detect/detector.ts';
import { detectionParameters } from './detect/parameters.ts';
import type { Point } from './detect/point.ts';
import { TrackFilter } from './detect/track-filter.ts';
import { StayMerger } from './stay-merger.ts';
import { nothingStated, type StatedSpans } from './stated.ts';
import { StatedStays } from './detect/stated-stays.ts';
import { withoutRepeats } from './observations/without-repeats.ts';
import type { TimelineOptions } from './options.ts';
import { isInPeriod, type Period } from './period.ts';

/** All that a timeline is made of, before stops and rows are chosen and put in order. */
export interface TimelineFacts {
  readonly period: Period;
  readonly calendar: Calendar;
  readonly totals: Totals;
  readonly stated: StatedSpans;
  /** Ids of corrections of stays that had something to correct. */
  readonly applied: ReadonlySet<number>;
  /** By source: observations within the period of devices elsewhere than the followed one. */
  readonly unfollowed: ReadonlyMap<number, number>;
  /** Within the period; repeats are no recorded ones. */
  readonly recorded: number;
  readonly repeats: number;
  readonly outliers: number;
  /** Times of the first and the last recorded observation; infinite without any. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * Makes a timeline of observations in order of time, in one pass: repeats → spikes → stays → what belongs together →
 * sums by administrative unit and by day. Memory does not grow with the number of observations.
 */
export class TimelineEngine {
  readonly #facts: { -readonly [Fact in keyof TimelineFacts]: TimelineFacts[Fact] };
  readonly #takeAll: ReturnType<typeof withoutRepeats>;
  readonly #filter: TrackFilter;
  readonly #stays: StatedStays;
  readonly #merger: StayMerger;

  constructor(
    period: Period,
    calendar: Calendar,
    sources: readonly DaySource[],
    lookup: AdminLookup | undefined,
    options: TimelineOptions,
    stated = nothingStated,
  ) {
    const parameters = detectionParameters(options.stays);
    const totals = new Totals(period, calendar, lookup, options.stays, stated.modes);
    const unfollowed = new Map<number, number>();
    const reject = ({ timeMs, weight }: Point): void => {
      if (isInPeriod(period, timeMs)) this.#facts.outliers += weight;
    };
    this.#merger = new StayMerger(parameters, totals, reject);
    const detector = new Detector(period, parameters, this.#merger);
    this.#stays = new StatedStays(stated.visits, period, parameters, {
      detector,
      sink: this.#merger,
    });
    const endMs = Float64Array.from(sources, ({ lastMs }) => lastMs ?? Number.NEGATIVE_INFINITY);
    this.#filter = new TrackFilter(endMs, (point) => this.#stays.observe(point), {
      reject,
      unfollowed: ({ timeMs, source, weight }) => {
        if (!isInPeriod(period, timeMs)) return;
        unfollowed.set(source, (unfollowed.get(source) ?? 0) + weight);
      },
      setAside: (point) => this.#merger.setAside(point),
    });
    this.#takeAll = withoutRepeats((point) => this.#filter.take(point));
    this.#facts = {
      period,
      calendar,
      totals,
      stated,
      applied: this.#stays.applied,
      unfollowed,
      recorded: 0,
      repeats: 0,
      outliers: 0,
      firstMs: Number.POSITIVE_INFINITY,
      lastMs: Number.NEGATIVE_INFINITY,
    };
  }

  /** Adds points `from`…`to` (exclusive), at least one, of one source and one UTC day; times never go back. */
  take(columns: PositionColumns, from: number, to: number, source: number, kind: number): void {
    const { timeMs, latE7, lonE7 } = columns;
    for (let at = from; at < to;) {
      const zone = this.#facts.calendar.zoneAt(latE7[at]!, lonE7[at]!);
      const endMs = Math.min(
        zone.startOf(zone.dayOf(timeMs[at]!) + 1),
        this.#nextEdge(timeMs[at]!),
      );
      let end = to;
      // Most pieces of a day are whole.
      if (timeMs[to - 1]! >= endMs) {
        end = at + 1;
        while (timeMs[end]! < endMs) end += 1;
      }
      this.#takeDay(columns, at, end, source, kind, zone);
      at = end;
    }
  }

  /** Adds points of one calendar day, all of them in the period or outside of it. */
  #takeDay(
    columns: PositionColumns,
    from: number,
    to: number,
    source: number,
    kind: number,
    zone: Zone,
  ): void {
    const repeats = this.#takeAll(columns, from, to, source, kind);
    const facts = this.#facts;
    const firstMs = columns.timeMs[from]!;
    if (!isInPeriod(facts.period, firstMs)) return;
    const recorded = to - from - repeats;
    facts.repeats += repeats;
    facts.recorded += recorded;
    facts.totals.days.record(firstMs, recorded, zone);
    facts.firstMs = Math.min(facts.firstMs, firstMs);
    facts.lastMs = columns.timeMs[to - 1]!;
  }

  #nextEdge(timeMs: number): number {
    const { startMs, endMs } = this.#facts.period;
    if (timeMs < startMs) return startMs;
    return timeMs < endMs ? endMs : Number.POSITIVE_INFINITY;
  }

  /** Ends after the last point. */
  finish(): TimelineFacts {
    this.#filter.finish();
    this.#stays.finish();
    this.#merger.finish();
    this.#facts.totals.finish();
    return this.#facts;
  }
}
