import { dayMs } from '../../../storage/day-blob.ts';

/** UTC days whose offset is remembered. */
const keptOffsets = 20_000;

/** The clock on the wall and the calendar beside it, in one time zone. */
export class Zone {
  /** Undefined for UTC. */
  readonly #format: Intl.DateTimeFormat | undefined;
  /** By UTC day: at its first moment. */
  readonly #offsets = new Map<number, number>();
  /** The day that was asked for last. */
  #day = Number.NaN;
  #startMs = Number.POSITIVE_INFINITY;
  #endMs = Number.NEGATIVE_INFINITY;

  /** @throws RangeError for a name that is no zone's. */
  constructor(name: string) {
    if (name === 'UTC') return;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** How far the clock is ahead of UTC at an instant, ms. */
  offsetMs(timeMs: number): number {
    if (this.#format === undefined) return 0;
    const parts = this.#format.formatToParts(timeMs);
    const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, ...numbers] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
    const [hours = 0, minutes = 0, seconds = 0] = numbers.map((digits) => Number(digits ?? 0));
    const ms = ((hours * 60 + minutes) * 60 + seconds) * 1_000;
    return sign === '-' ? -ms : ms;
  }

  /** The calendar day of an instant, counted from 1970-01-01. */
  dayOf(timeMs: number): number {
    if (timeMs >= this.#startMs && timeMs < this.#endMs) return this.#day;
    let day = Math.floor((timeMs + this.#offsetOfDay(Math.floor(timeMs / dayMs))) / dayMs);
    while (timeMs < this.startOf(day)) day -= 1;
    while (timeMs >= this.startOf(day + 1)) day += 1;
    this.#day = day;
    this.#startMs = this.startOf(day);
    this.#endMs = this.startOf(day + 1);
    return day;
  }

  /** Whether a calendar day exists: a zone that crosses the date line leaves one out. */
  has(day: number): boolean {
    return this.startOf(day) < this.startOf(day + 1);
  }

  /** The first instant of a calendar day; of one that the zone has left out, that of the next. */
  startOf(day: number): number {
    const before = this.#offsetOfDay(day - 1);
    const after = this.#offsetOfDay(day + 1);
    if (before === after) return day * dayMs - before;
    let [early, late] = [(day - 2) * dayMs, (day + 2) * dayMs];
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (Math.floor((middle + this.offsetMs(middle)) / dayMs) >= day) late = middle;
      else early = middle;
    }
    return late;
  }

  /** The instant of noon of a calendar day. */
  noonOf(day: number): number {
    const noonMs = (day + 0.5) * dayMs;
    return noonMs - this.offsetMs(this.startOf(day) + dayMs / 2);
  }

  #offsetOfDay(utcDay: number): number {
    const known = this.#offsets.get(utcDay);
    if (known !== undefined) return known;
    if (this.#offsets.size >= keptOffsets) this.#offsets.clear();
    const offset = this.offsetMs(utcDay * dayMs);
    this.#offsets.set(utcDay, offset);
    return offset;
  }
}
