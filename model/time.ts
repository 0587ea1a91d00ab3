const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** 0000-01-01 … 9999-12-31: what four digits of a year can say. */
const minTimeMs = -62_167_219_200_000;
const maxTimeMs = 253_402_300_799_999;

/**
 * Reads an instant as contract D states: `Z`, `±hh:mm`, fractions (cut to milliseconds), no zone = UTC, `24:00:00` = the
 * next day, `:60` = the next second.
 * @returns integer ms since 1970 UTC; undefined for anything else.
 */
export function parseTime(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = dateMs(year, month, day);
  const clock = clockMs(hour, minute, second, match[7] ?? '');
  const zone = zoneMs(match[8] ?? 'Z');
  if (date === undefined || clock === undefined || zone === undefined) return undefined;
  const time = date + clock - zone;
  return time >= minTimeMs && time <= maxTimeMs ? time : undefined;
}

/** The calendar repeats itself after 400 years, which are so many days. */
const cycleMs = 146_097 * dayMs;

/** Midnight of a date, years from 0 on; undefined if there is no such date. */
export function dateMs(year: number, month: number, day: number): number | undefined {
  // Date.UTC takes years below 100 for 19xx.
  const afterMs = Date.UTC(year + 400, month, 1);
  const ms = Date.UTC(year + 400, month - 1, day);
  const isReal = month >= 1 && month <= 12 && day >= 1 && ms < afterMs;
  return isReal ? ms - cycleMs : undefined;
}

function clockMs(
  hour: number,
  minute: number,
  second: number,
  fraction: string,
): number | undefined {
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (hour === 24)
    return minute === 0 && second === 0 && Number(fraction) === 0 ? dayMs : undefined;
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  return ((hour * 60 + minute) * 60 + second) * 1000 + ms;
}

function zoneMs(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}

/** `YYYY-MM-DDT` of days met lately, because making one costs several times the rest. */
const dateTexts = new Map<number, string>();
/** The farthest instant of a Date on either side of 1970. */
const maxDateMs = 8_640_000_000_000_000;
/** About fifty years. */
const mostDateTexts = 20_000;
/** `hh:mm:` of each minute of a day, `ssZ` of each second of a minute; empty until it is needed. */
const minuteTexts = Array<string>(24 * 60).fill('');
const secondTexts = Array<string>(60).fill('');

/**
 * Writes an instant as ISO 8601 UTC with `Z`; whole seconds have no fraction.
 * @throws RangeError for what no Date can be.
 */
export function formatTime(timeMs: number): string {
  const day = Math.floor(timeMs / dayMs);
  const seconds = (timeMs - day * dayMs) / 1_000;
  if (!Number.isInteger(seconds) || Math.abs(timeMs) > maxDateMs) return isoText(timeMs);
  const minute = Math.floor(seconds / 60);
  const second = seconds - minute * 60;
  minuteTexts[minute] ||= `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:`;
  secondTexts[second] ||= `${twoDigits(second)}Z`;
  return dateText(day) + minuteTexts[minute]! + secondTexts[second]!;
}

function isoText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

function dateText(day: number): string {
  let text = dateTexts.get(day);
  if (text === undefined) {
    text = isoText(day * dayMs).slice(0, -'00:00:00Z'.length);
    if (dateTexts.size === mostDateTexts) dateTexts.clear();
    dateTexts.set(day, text);
  }
  return text;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** A time as names of backups have it. */
export function stampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/**
 * Sorts names that tell a time, the newest first.
 * @param now the newest there can be: what a clock that went wrong has dated later counts as the oldest.
 */
export function newestFirst(names: readonly string[], now: string): string[] {
  const sorted = [...names].sort().reverse();
  return [...sorted.filter((name) => name <= now), ...sorted.filter((name) => name > now)];
}
