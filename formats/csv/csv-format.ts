import { withFormula } from '../export/csv.ts';
import { recordedBy, type Format } from '../format.ts';
import { FileRefused } from '../refused.ts';
import type { Recording } from '../points/recording.ts';
import { asDegrees, missingTime, parseAnyTime, parseNumber } from '../points/point-values.ts';
import { Lines } from '../text/lines.ts';

/** Comma-separated positions under a header that names them: with times, as GPSLogger writes them and others, or places. */
export const csvFormat: Format = {
  name: 'csv',
  recognises: (head) =>
    readHeader(/^[^\r\n]*/.exec(head.toString('utf8'))?.[0] ?? '') !== undefined,
  read: recordedBy((recording) => new Lines(rowsTo(recording))),
};

/** Names of columns, in lower case, without units and punctuation. */
const names = {
  lat: ['lat', 'latitude', 'latitudee7', 'late7'],
  lon: ['lon', 'lng', 'long', 'longitude', 'longitudee7', 'lone7', 'lnge7'],
  time: [
    'time',
    'timestamp',
    'datetime',
    'isotime',
    'utctime',
    'timeutc',
    'gpstime',
    'recordedat',
    'when',
  ],
  ele: ['ele', 'elevation', 'alt', 'altitude'],
  accuracy: ['accuracy', 'acc', 'horizontalaccuracy'],
  date: ['date'],
  name: ['name', 'title', 'label', 'place'],
  desc: ['desc', 'description', 'note', 'notes', 'comment'],
  // Of our own exports; a column of bookmarks is in no other.
  kind: ['kind'],
  bookmark: ['bookmark'],
} as const;
type Column = keyof typeof names;

const separators = [',', ';', '\t'];
const e7 = 1e7;
const fewestE7 = 100_000;
/** Characters of a row of ours: a note and a comment with line breaks, all of them quotes. */
const longestRow = 131_072;

/** Where each column stands; −1 for one that is not there. */
interface Header {
  readonly separator: string;
  readonly at: Readonly<Record<Column, number>>;
  /** The rows are places: there is no time. */
  readonly isOfPlaces: boolean;
}

/** @returns undefined for a line that names no latitude and longitude, or neither a time nor a name. */
function readHeader(line: string): Header | undefined {
  for (const separator of separators) {
    const header = line.includes(separator) ? headerBy(separator, line) : undefined;
    if (header !== undefined) return header;
  }
  return undefined;
}

function headerBy(separator: string, line: string): Header | undefined {
  const cells = splitCells(line.replace(/^\uFEFF/, ''), separator).map((cell) =>
    // `altitude (m)`, `date_time`, `Latitude`
    cell.toLowerCase().replaceAll(/\([^)]*\)|\[[^\]]*\]|[^a-z0-9]/g, ''),
  );
  const places = Object.entries(names).map(([column, known]) => [
    column,
    cells.findIndex((cell) => (known as readonly string[]).includes(cell)),
  ]);
  const at = Object.fromEntries(places) as Header['at'];
  if (at.lat < 0 || at.lon < 0 || (at.time < 0 && at.name < 0)) return undefined;
  return { separator, at, isOfPlaces: at.time < 0 };
}

/** Reads one row after the other; the first is the header. */
function rowsTo(recording: Recording): (line: string) => void {
  let header: Header | undefined;
  let begun = '';
  let isInQuotes = false;
  return (part) => {
    const line = begun === '' ? part : `${begun}\n${part}`;
    begun = '';
    if (header !== undefined && (header.isOfPlaces || header.at.bookmark >= 0)) {
      if (part.split('"').length % 2 === 0) isInQuotes = !isInQuotes;
      if (isInQuotes && line.length <= longestRow) {
        begun = line;
        return;
      }
      isInQuotes = false;
    }
    if (line.trim() === '') return;
    if (header === undefined) {
      header = readHeader(line);
      if (header === undefined) throw new FileRefused('wrong_format', 1);
      return;
    }
    readRow(line, header, recording);
  };
}

function readRow(line: string, { separator, at, isOfPlaces }: Header, recording: Recording): void {
  const cells = splitCells(line, separator);
  const cell = (column: Column): string => cells[at[column]] ?? '';
  // Where cells are not parted by commas or are in quotes, decimals may be.
  const number = (column: Column): number => parseNumber(cell(column).replace(',', '.'));
  const place = [degrees(cell('lat'), 90), degrees(cell('lon'), 180), number('ele')] as const;
  const timeMs = isOfPlaces ? missingTime : timeOf(cell('date'), cell('time'));
  if (isOfPlaces) recording.waypoint(...place, timeMs, { name: cell('name'), desc: cell('desc') });
  else if (cell('kind') === 'waypoint' && cell('bookmark') !== '') {
    const isOwnBookmark = cell('bookmark') === 'true';
    const [name, desc] = [withFormula(cell('name')), withFormula(cell('desc'))];
    recording.waypoint(...place, timeMs, { name, desc, isOwnBookmark });
  } else recording.trackPoint(...place, timeMs, number('accuracy'));
}

/** Whole numbers far beyond the earth are ten-millionths; NaN for what is no position. */
function degrees(text: string, limit: 90 | 180): number {
  const number = parseNumber(text.replace(',', '.'));
  if (Number.isNaN(number)) return withHemisphere(text, limit);
  const isE7 = Math.abs(number) >= fewestE7 && Number.isInteger(number);
  return asDegrees(isE7 ? number / e7 : number, limit);
}

/** `47.5 N`, `W8,1°`. */
const hemisphere = /^([NSEW])? *([+-]?\d[\d.,]*) *°? *([NSEW])?$/i;

function withHemisphere(text: string, limit: 90 | 180): number {
  const [, before, digits = '', after] = hemisphere.exec(text) ?? [];
  const letter = (before ?? after ?? '').toUpperCase();
  const degrees = asDegrees(parseNumber(digits.replace(',', '.')), limit);
  if (letter !== '' && !(limit === 90 ? 'NS' : 'EW').includes(letter)) return Number.NaN;
  return letter === 'S' || letter === 'W' ? 0 - Math.abs(degrees) : degrees;
}

/** ISO 8601, with a blank for its `T` too, in one cell or two; or a number since 1970. */
function timeOf(date: string, time: string): number {
  const text = (date === '' ? time : `${date} ${time}`).trim();
  return text === '' ? missingTime : parseAnyTime(text);
}

/** RFC 4180; cells go on in the next line in exports of ours only. */
function splitCells(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator).map((cell) => cell.trim());
  const cells: string[] = [];
  for (let at = 0; at <= line.length; at += 1) {
    let cell = '';
    if (line[at] === '"') {
      for (at += 1; at < line.length; at += 1) {
        const end = line.indexOf('"', at);
        cell += line.slice(at, end < 0 ? line.length : end);
        at = end < 0 ? line.length : end + 1;
        if (line[at] !== '"') break;
        cell += '"';
      }
    }
    const next = line.indexOf(separator, at);
    const end = next < 0 ? line.length : next;
    cells.push((cell + line.slice(at, end)).trim());
    at = end;
  }
  return cells;
}
