import type { Buffer } from 'node:buffer';
import { recordedBy, type Format } from '../format.ts';
import type { Recording } from '../points/recording.ts';
import { asDegrees, missingTime, parseNumber } from '../points/point-values.ts';
import { Lines } from '../text/lines.ts';

const sentence = /^\$(?:G[ABILNPQ]|BD|QZ)[A-Z]{3},/m;
const dayMs = 86_400_000;

/** A log of NMEA 0183 sentences, as receivers write them. */
export const nmeaFormat: Format = {
  name: 'nmea',
  recognises: (head) => sentence.test(head.toString('latin1')),
  read: recordedBy((recording) => new Sentences(recording)),
};

/** A fix, gathered from the sentences of one instant. */
interface Fix {
  /** Time of the day, ms. */
  readonly clockMs: number;
  lat: number;
  lon: number;
  ele: number;
}

/** Makes positions of sentences: RMC says date and position, GGA height and position, WPL waypoints. */
class Sentences extends Lines {
  readonly #recording: Recording;
  #fix: Fix | undefined;
  /** The last known midnight, ms since 1970; NaN before the first. */
  #dateMs = Number.NaN;

  constructor(recording: Recording) {
    super(
      (line) => this.#readLine(line),
      // A receiver was switched off in the middle of it, unless its checksum is there.
      (line) => line.includes('*') && this.#readLine(line),
    );
    this.#recording = recording;
  }

  override end(rest: Buffer): void {
    super.end(rest);
    this.#endFix();
  }

  /** Passes over what is no sentence, or has a wrong checksum: receivers are switched off in the middle of a line. */
  #readLine(line: string): void {
    if (!line.startsWith('$') || !hasRightChecksum(line)) return;
    const end = line.indexOf('*');
    const fields = line.slice(1, end < 0 ? undefined : end).split(',');
    const kind = fields[0]?.slice(2);
    if (kind === 'RMC') this.#rmc(fields);
    else if (kind === 'GGA') this.#gga(fields);
    else if (kind === 'WPL') this.#wpl(fields);
  }

  #endFix(): void {
    const fix = this.#fix;
    this.#fix = undefined;
    if (fix === undefined) return;
    const timeMs = Number.isNaN(this.#dateMs) ? missingTime : this.#dateMs + fix.clockMs;
    this.#recording.trackPoint(fix.lat, fix.lon, fix.ele, timeMs);
  }

  #rmc([, clock, status, lat, north, lon, east, , , date]: readonly string[]): void {
    const clockMs = clockOf(clock);
    if (status !== 'A' || clockMs === undefined) return;
    const fix = this.#at(clockMs);
    this.#dateMs = dateOf(date) ?? this.#dateMs;
    fix.lat = degrees(lat, north, 90);
    fix.lon = degrees(lon, east, 180);
  }

  #gga([, clock, lat, north, lon, east, quality, , , ele]: readonly string[]): void {
    const clockMs = clockOf(clock);
    if (quality === '0' || quality === '' || clockMs === undefined) return;
    const fix = this.#at(clockMs);
    fix.lat = degrees(lat, north, 90);
    fix.lon = degrees(lon, east, 180);
    fix.ele = parseNumber(ele);
  }

  #wpl([, lat, north, lon, east, name = '']: readonly string[]): void {
    const place = [degrees(lat, north, 90), degrees(lon, east, 180)] as const;
    this.#recording.waypoint(...place, Number.NaN, missingTime, { name });
  }

  /** Returns the fix of an instant, and records the one before. */
  #at(clockMs: number): Fix {
    if (this.#fix?.clockMs === clockMs) return this.#fix;
    const before = this.#fix?.clockMs ?? clockMs;
    this.#endFix();
    // A log of GGA alone says no date once midnight has passed.
    if (before - clockMs > dayMs / 2) this.#dateMs += dayMs;
    this.#fix = { clockMs, lat: Number.NaN, lon: Number.NaN, ele: Number.NaN };
    return this.#fix;
  }
}

/** `hhmmss.sss` as ms of the day. */
function clockOf(text = ''): number | undefined {
  const [, hour, minute, second] = /^(\d\d)(\d\d)(\d\d(?:\.\d{1,9})?)$/.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const ms = Math.floor(Number(second) * 1_000 + 1e-6);
  return ms < 60_000 ? (Number(hour) * 60 + Number(minute)) * 60_000 + ms : undefined;
}

/** `ddmmyy` as its midnight; years from 80 on are of the last century. */
function dateOf(text = ''): number | undefined {
  const [, day, month, year] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const ms = Date.UTC(
    (Number(year) < 80 ? 2000 : 1900) + Number(year),
    Number(month) - 1,
    Number(day),
  );
  return new Date(ms).getUTCMonth() === Number(month) - 1 ? ms : undefined;
}

/** `ddmm.mmmm` and a hemisphere; NaN for anything else. */
function degrees(text = '', hemisphere = '', limit: 90 | 180): number {
  const [, whole, minutes] = /^(\d{1,3})(\d\d(?:\.\d{1,12})?)$/.exec(text) ?? [];
  const sign = { N: 1, E: 1, S: -1, W: -1 }[hemisphere] ?? Number.NaN;
  return asDegrees(sign * (Number(whole) + Number(minutes) / 60) + 0, limit);
}

/** The checksum is that of the characters between `$` and `*`; some programs write none. */
function hasRightChecksum(line: string): boolean {
  const end = line.indexOf('*');
  if (end < 0) return true;
  let sum = 0;
  for (let at = 1; at < end; at += 1) sum ^= line.charCodeAt(at);
  return Number.parseInt(line.slice(end + 1, end + 3), 16) === sum;
}
