import { escapeXml } from '../../../formats/gpx-text.ts';
import { parseDate, weekdayOf } from '../../../model/calendar-date.ts';
import type { TimelineDay, TimelinePlace, TimelineResult } from '../../../model/timeline-result.ts';
import { counted } from '../../terminal/text.ts';
import { countriesOn } from './tables.ts';

/** As on the page of the map; the last one is for all other countries. */
const colours = [
  '#3f7fbf',
  '#e08a2e',
  '#3c9d6b',
  '#c9503f',
  '#8464b0',
  '#c9a93a',
  '#4bb0b8',
  '#c76a9d',
  '#8b959c',
];
export const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const weekdays = ['Mon', '', 'Wed', '', 'Fri', '', ''];

/** Sizes in pixels: a day is a cell in a grid of weeks, as high as a week. */
const cell = 11;
const step = 14;
const left = 40;
const width = left + 54 * step + 6;
const headHeight = 42;
const yearHeight = headHeight + 7 * step + 14;
const lineHeight = 20;
const legendColumns = 3;
const legendWidth = (width - left) / legendColumns;

/** Follows the light or dark of what shows it. */
const style = `text{font:11px system-ui,sans-serif;fill:#4a5157}.y{font-size:15px;font-weight:600;fill:#22262a}.e{fill:#eceff1}.i{fill-opacity:.45}${colours.map((colour, at) => `.c${at}{fill:${colour}}`).join('')}@media(prefers-color-scheme:dark){text{fill:#b3bcc4}.y{fill:#eef2f5}.e{fill:#2b343b}}`;

/**
 * Draws the days of a timeline as a calendar: a block for each year, a cell for each day in the colour of its country, pale
 * where it is inferred, halved on the day of a crossing, and a dot in transit.
 * @param days those to be shown
 * @param lines written below
 * @returns an SVG document, empty of years where there are no days
 */
export function calendarSvg(
  { places, dataset }: Pick<TimelineResult, 'places' | 'dataset'>,
  days: readonly TimelineDay[],
  lines: readonly string[] = [],
): string {
  const rows = countriesOn(places, days);
  const countries = new Map(
    rows.map(({ country_id: id, country }, at) => [
      id,
      { name: nameOf(country), colour: Math.min(at, colours.length - 1) },
    ]),
  );
  const years = [...Map.groupBy(days, ({ date_local: date }) => Number(date.slice(0, 4)))];
  const legendTop = years.length * yearHeight + 12;
  const notes = [
    ...lines,
    'Pale: inferred. Dot: in transit. Grey: nothing recorded.',
    ...(dataset === null ? [] : [`Borders: ${dataset.attribution}`]),
  ];
  const notesTop = legendTop + Math.ceil(rows.length / legendColumns) * lineHeight + 8;
  const height = notesTop + notes.length * lineHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(`Days by country, ${years.map(([year]) => year).join(', ')}`)}</title>`,
    `<style>${style}</style>`,
    ...years.flatMap(([year, rows], at) => yearBlock(year, at * yearHeight, rows, countries)),
    ...rows.flatMap((row, at) => legendEntry(row, at, legendTop, countries)),
    ...notes.map((note, at) => text(left, notesTop + at * lineHeight, note)),
    '</svg>\n',
  ]
    .filter(Boolean)
    .join('\n');
}

function nameOf(country: string): string {
  return country || 'At sea or unknown';
}

type Countries = ReadonlyMap<string, { readonly name: string; readonly colour: number }>;

function yearBlock(
  year: number,
  top: number,
  days: readonly TimelineDay[],
  countries: Countries,
): string[] {
  const first = parseDate(`${year}-01-01`) ?? 0;
  const next = parseDate(`${year + 1}-01-01`) ?? first;
  const byDay = new Map(days.map((day) => [parseDate(day.date_local), day]));
  const numbers = Array.from({ length: next - first }, (_, at) => first + at);
  const place = (day: number): [x: number, y: number] => [
    left + Math.floor((day - first + weekdayOf(first)) / 7) * step,
    top + headHeight + weekdayOf(day) * step,
  ];
  return [
    text(left, top + 18, String(year), 'y'),
    ...weekdays.map((name, at) => text(6, top + headHeight + at * step + 9, name)),
    ...months.map((name, at) => {
      const day = parseDate(`${year}-${String(at + 1).padStart(2, '0')}-01`) ?? first;
      return text(place(day)[0], top + headHeight - 8, name);
    }),
    ...numbers.map((day) => dayCell(place(day), byDay.get(day), countries)),
  ];
}

function dayCell(
  [x, y]: readonly [number, number],
  day: TimelineDay | undefined,
  countries: Countries,
): string {
  const empty = rect(x, y, cell, 'e');
  if (day === undefined || day.presence.length === 0) return empty;
  const stays = day.presence.filter(({ kind }) => kind !== 'transit');
  const drawn = stays.slice(0, 2);
  const share = cell / drawn.length;
  const parts = drawn.map(({ country_id: id, kind }, at) => {
    const colour = countries.get(id)?.colour ?? colours.length - 1;
    return rect(x + at * share, y, share, `c${colour}${kind === 'inferred' ? ' i' : ''}`);
  });
  const dot = `<circle class="c${colours.length - 1}" cx="${x + cell / 2}" cy="${y + cell / 2}" r="2.5"/>`;
  const names = stays.map(({ country_id: id, kind }) => {
    const name = countries.get(id)?.name ?? nameOf(id);
    return kind === 'recorded' ? name : `${name} (inferred)`;
  });
  const title = `<title>${escapeXml(`${day.date_local}: ${names.join(', ') || 'in transit'}`)}</title>`;
  return `<g>${title}${empty}${parts.length === 0 ? dot : parts.join('')}</g>`;
}

function legendEntry(
  { country_id: id, country, days, days_inferred: inferred }: TimelinePlace,
  at: number,
  top: number,
  countries: Countries,
): string[] {
  const x = left + (at % legendColumns) * legendWidth;
  const y = top + Math.floor(at / legendColumns) * lineHeight;
  const more = inferred > 0 ? `, ${inferred} inferred` : '';
  return [
    rect(x, y - 9, cell, `c${countries.get(id)?.colour ?? colours.length - 1}`),
    text(x + step + 4, y, `${nameOf(country)}: ${counted(days, 'day')}${more}`),
  ];
}

function rect(x: number, y: number, wide: number, kind: string): string {
  return `<rect class="${kind}" x="${x}" y="${y}" width="${wide}" height="${cell}" rx="2"/>`;
}

function text(x: number, y: number, words: string, kind?: string): string {
  const which = kind === undefined ? '' : ` class="${kind}"`;
  return words === '' ? '' : `<text${which} x="${x}" y="${y}">${escapeXml(words)}</text>`;
}
