import type { TimelineDay } from '../../../model/timeline-result.ts';
import { formatDate, parseDate } from '../../../model/calendar-date.ts';
import { months } from './calendar-svg.ts';

/** Weeks of a year, counted from its first day; the last one is short. */
const weeks = 53;
/** More lines tell no one anything at a glance. */
const mostCountries = 12;
const nameWidth = 6;

/** A year at a glance: a line for each country, a cell for each week: `#` four days of it and more, `+` fewer. */
export function yearBars(days: readonly TimelineDay[]): string[] {
  const years = Map.groupBy(days, ({ date_local: date }) => date.slice(0, 4));
  return [...years].flatMap(([year, rows]) => [monthLine(year), ...countryLines(year, rows), '']);
}

function countryLines(year: string, rows: readonly TimelineDay[]): string[] {
  const first = parseDate(`${year}-01-01`) ?? 0;
  const counts = new Map<string, number[]>();
  for (const { date_local: date, presence } of rows) {
    for (const { country_id: id, kind } of presence) {
      if (kind === 'transit') continue;
      const cells = counts.get(id) ?? Array.from({ length: weeks }, () => 0);
      cells[Math.floor(((parseDate(date) ?? first) - first) / 7)]! += 1;
      counts.set(id, cells);
    }
  }
  const total = (cells: readonly number[]): number => cells.reduce((sum, cell) => sum + cell, 0);
  return [...counts]
    .toSorted(([, a], [, b]) => total(b) - total(a))
    .slice(0, mostCountries)
    .map(([id, cells]) => {
      const bar = cells.map((cell) => (cell >= 4 ? '#' : cell > 0 ? '+' : '.')).join('');
      return `${(id || 'sea').padEnd(nameWidth)}${bar}`;
    });
}

function monthLine(year: string): string {
  const first = parseDate(`${year}-01-01`) ?? 0;
  const cells = Array.from({ length: weeks + 3 }, () => ' ');
  for (let day = first; formatDate(day).startsWith(year); day += 1) {
    const date = formatDate(day);
    if (!date.endsWith('-01')) continue;
    const name = months[Number(date.slice(5, 7)) - 1] ?? '';
    for (let i = 0; i < name.length; i += 1) cells[Math.floor((day - first) / 7) + i] = name[i]!;
  }
  return `${year.padEnd(nameWidth)}${cells.join('').trimEnd()}`;
}
