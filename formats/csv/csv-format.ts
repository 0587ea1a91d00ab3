import { withFormula } from '../export/csv.ts';
import { recordedBy, type Format } from '../format.ts';
import { FileRefused } from '../refused.ts';
import type { Recording } from '../points/recording.ts';
import { asDegrees, missingTime, parseAnyTime, parseNumber } from '../points/point-values.ts';
import { Lines } from '../text/lines.ts';

/** Comma-separated positions under a header that names them, as GPSLogger writes them and others. */
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
  time: ['time', 'timestamp', 'datetime', 'isotime', 'utctime', 'timeutc', 'gpstime'],
  ele: ['ele', 'elevation', 'alt', 'altitude'],
  accuracy: ['accuracy', 'acc', 'horizontalaccuracy'],
  date: ['date'],
  // Of our own exports; a column of bookmarks is in no other.
  kind: ['kind'],
  name: ['name'],
  desc: ['desc'],
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
}

/** @returns undefined for a line that names no time, latitude and longitude. */
function readHeader(line: string): Header | undefined {
  const separator = separators.find((one) => line.includes(one));
  if (separator === undefined) return undefined;
  const cells = splitCells(line.replace(/^\uFEFF/, ''), separator).map((cell) =>
    // `altitude (m)`, `date_time`, `Latitude`
    cell.toLowerCase().replaceAll(/\([^)]*\)|\[[^\]]*\]|[^a-z0-9]/g, ''),
  );
  const places = Object.entries(names).map(([column, known]) => [
    column,
    cells.findIndex((cell) => (known as readonly string[]).includes(cell)),
  ]);
  const at = Object.fromEntries(places) as Header['at'];
  return at.lat < 0 || at.lon < 0 || at.time < 0 ? undefined : { separator, at };
}

/** Reads one row after the other; the first is the header. */
function rowsTo(recording: Recording): (line: string) => void {
  let header: Header | undefined;
  let begun = '';
  let isInQuotes = false;
  return (part) => {
    const line = begun === '' ? part : `${begun}\n${part}`;
    begun = '';
    if (header !== undefined && header.at.bookmark >= 0) {
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
    const { separator, at } = header;
    const cells = splitCells(line, separator);
    const number = (column: Column): number => parseNumber(decimal(cells[at[column]], separator));
    const cell = (column: Column): string => cells[at[column]] ?? '';
    const place = [degrees(number('lat'), 90), degrees(number('lon'), 180), number('ele')] as const;
    const timeMs = timeOf(cell('date'), cell('time'));
    if (cell('kind') === 'waypoint' && cell('bookmark') !== '') {
      const isOwnBookmark = cell('bookmark') === 'true';
      const [name, desc] = [withFormula(cell('name')), withFormula(cell('desc'))];
      recording.waypoint(...place, timeMs, { name, desc, isOwnBookmark });
    } else recording.trackPoint(...place, timeMs, number('accuracy'));
  };
}

/** Where cells are not parted by commas, decimals may be. */
function decimal(text: string | undefined, separator: string): string | undefined {
  return separator === ',' ? text : text?.replace(',', '.');
}

/** Whole numbers far beyond the earth are ten-millionths. */
function degrees(number: number, limit: 90 | 180): number {
  const isE7 = Math.abs(number) >= fewestE7 && Number.isInteger(number);
  return asDegrees(isE7 ? number / e7 : number, limit);
}

/** ISO 8601, with a blank for its `T` too, in one cell or two; or a number since 1970. */
function timeOf(date: string, time: string): number {
  const text = (date === '' ? time : `${date} ${time}`).trim();
  if (text === '') return missingTime;
  return parseAnyTime(text.replace(/^(\d{4}-\d\d-\d\d) +/, '$1T').replace(/ ?UTC$/, 'Z'));
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
