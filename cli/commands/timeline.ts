import { placeLevels } from '../../model/admin-place.ts';
import { usageError } from '../../model/exit-error.ts';
import { knownFields } from '../../model/schema.ts';
import {
  timelineDaySchema,
  timelinePlaceSchema,
  type TimelineResult,
} from '../../model/timeline-result.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { defineCommand, type OptionValues } from '../program/command.ts';
import { note, printJson, write } from '../terminal/output.ts';
import { calendarSvg } from './timeline/calendar-svg.ts';
import { writeRows, writeStops } from './timeline/csv.ts';
import { periodOptions, requestOf } from './timeline/period.ts';
import { timelineOf } from './timeline/run.ts';
import { dayLines, levelLines, overviewLines, stopLines } from './timeline/tables.ts';
import { emptyLines, footLines, headLines, isEmpty } from './timeline/wording.ts';

const formats = ['table', 'csv', 'geojson', 'json'] as const;
type Format = (typeof formats)[number];

const options = {
  ...periodOptions,
  '--level <level>': { help: 'all rows of one level', choices: placeLevels },
  '--stops': 'every stop, in the order of time',
  '--days': 'every day',
  '--svg': 'a picture: the calendar of each year by country',
  '--csv': 'for a spreadsheet, as --format csv',
  '-f, --format <format>': { help: 'how it is printed', choices: formats, default: 'table' },
} as const;
type TimelineOptions = OptionValues<typeof options>;

export const command = defineCommand({
  name: 'timeline',
  summary: 'show where you stayed, and for how long',
  description:
    'Shows where you stayed, from the tracks you have imported: countries, regions and towns with their days, nights and hours. It is worked out on this machine, without any network. Days and times are those of the place where you were, unless --utc or --zone says otherwise.',
  arguments: '[period...]',
  options,
  examples: [
    'timeline 2024',
    'timeline all --utc',
    'timeline 2024-07 --stops',
    'timeline 2024-07-14 2024-07-20 --level locality',
    'timeline --last 2y --format geojson > stops.geojson',
  ],
  notes: `A period is a year, a month or a day, or reaches from one of these to another; at most 7,320 days.
GeoJSON has the stops as points, JSON all there is. docs/timelines.md says what the numbers mean.`,
  async run({ context, words: [words], options, isJson }) {
    checkOptions(formatOf(options, isJson), options);
    return timelineOf(context, requestOf(words, options, dayOf(Date.now())));
  },
  show: (result, { options }) => show(formatOf(options), result, options),
});

function formatOf({ csv, format }: TimelineOptions, isJson = false): Format {
  const asked = csv ? 'csv' : isJson ? 'json' : format;
  if ((csv && isJson) || (format !== 'table' && format !== asked)) {
    throw usageError('Choose one of --json, --csv and --format.');
  }
  return asked;
}

function checkOptions(format: Format, { level, stops, days, svg }: TimelineOptions): void {
  const chosen = [level !== undefined, stops, days, svg].filter(Boolean).length;
  if (chosen > 1) throw usageError('Choose one of --level, --stops, --days and --svg.');
  if (svg && format !== 'table') throw usageError('A picture has no --format.');
  if (format === 'geojson' && (level !== undefined || days)) {
    throw usageError('GeoJSON has stops only: leave out --level and --days.');
  }
  if (format === 'json' && chosen > 0) {
    throw usageError('JSON has all there is: leave out --level, --stops and --days.');
  }
}

async function* show(
  format: Format,
  result: TimelineResult,
  options: TimelineOptions,
): AsyncGenerator<string> {
  const notes = isEmpty(result) ? emptyLines(result) : footLines(result);
  if (format === 'json') return printJson(result);
  if (options.svg && !isEmpty(result)) await write(calendarSvg(result, result.days));
  else if (format === 'table' && !isEmpty(result)) return yield* tables(result, options, notes);
  if (format === 'geojson') await writeGeoJson(result);
  if (format === 'csv') await writeCsv(result, options);
  // A program reads the data, its user the notes.
  for (const line of notes) note(line);
}

async function* tables(
  result: TimelineResult,
  { stops, days, level }: TimelineOptions,
  notes: readonly string[],
): AsyncGenerator<string> {
  yield* headLines(result);
  yield '';
  if (days) yield* dayLines(result);
  else if (stops || result.dataset === null) yield* stopLines(result);
  else if (level !== undefined) yield* levelLines(result, level);
  else yield* overviewLines(result);
  yield* notes;
}

/** Writes stops as GeoJSON points (RFC 7946), one feature a line. */
async function writeGeoJson({ timeline }: TimelineResult): Promise<void> {
  await write('{"type":"FeatureCollection","features":[');
  for (const [at, { latitude, longitude, lat: _, lon: __, ...properties }] of timeline.entries()) {
    const geometry = { type: 'Point', coordinates: [longitude, latitude] };
    const feature = { type: 'Feature', geometry, properties };
    await write(`${at === 0 ? '' : ','}\n${JSON.stringify(feature)}`);
  }
  await write('\n]}\n');
}

function writeCsv(result: TimelineResult, choice: TimelineOptions): Promise<void> {
  if (choice.stops) return writeStops(result.timeline);
  if (choice.days) return writeRows(knownFields(timelineDaySchema), result.days);
  const places = result.places.filter(({ level }) => level === (choice.level ?? level));
  return writeRows(knownFields(timelinePlaceSchema), places);
}
