import { legacyCommand } from '../program/command.ts';
import { constants } from 'node:os';
import { Option, type Command } from 'commander';
import { placeLevels, type PlaceLevel } from '../../model/admin-place.ts';
import type { TimelineResult } from '../../model/timeline-result.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { usageError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { writeDaysCsv, writeGeoJson, writePlacesCsv, writeStopsCsv } from './timeline/formats.ts';
import { emptyLines, footLines, headLines, isEmpty } from './timeline/notes.ts';
import { parsePeriod } from './timeline/period.ts';
import { TimelineRun } from './timeline/run.ts';
import { printDays, printLevel, printOverview, printStops } from './timeline/tables.ts';

const formats = ['table', 'csv', 'geojson', 'json'] as const;

interface TimelineOptions {
  readonly last?: string;
  readonly level?: PlaceLevel;
  readonly stops?: boolean;
  readonly days?: boolean;
  readonly format: (typeof formats)[number];
}

/** `waypointd timeline` */
function registerTimeline(program: Command): void {
  program
    .command('timeline [period...]')
    .summary('tell where you stayed, and for how long')
    .description(
      'Tells where you stayed, from the tracks you have imported: countries, regions and towns with their\ndays, nights and hours. It is worked out on this machine, without any network. Days are UTC.',
    )
    .option(
      '--last <span>',
      'the last days, weeks, months or years, today included: 30d, 4w, 12m, 2y',
    )
    .addOption(new Option('--level <level>', 'all rows of one level').choices(placeLevels))
    .option('--stops', 'every stop, in the order of time')
    .option('--days', 'every day')
    .addOption(
      new Option('-f, --format <format>', 'how it is printed').choices(formats).default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  waypointd timeline 2024
  waypointd timeline 2024-07 --stops
  waypointd timeline 2024-07-14 2024-07-20 --level locality
  waypointd timeline --last 2y --format geojson > stops.geojson

A period is a year, a month or a day, or reaches from one of these to another; at most 7,320 days.
GeoJSON has the stops as points, JSON all there is. docs/timelines.md says what the numbers mean.`,
    )
    .action(async (words: string[], options: TimelineOptions, command: Command) => {
      checkOptions(options);
      const request = parsePeriod(words, options.last, dayOf(Date.now()));
      const run = new TimelineRun();
      await withDaemon(
        commandContext(command),
        async (client) => {
          const result = await run.result(client, request);
          if (result !== undefined) await show(result, options);
        },
        { onInterrupt: (client, signal) => run.stop(client, signal) },
      );
      if (run.stoppedBy !== undefined) process.exitCode = 128 + constants.signals[run.stoppedBy];
    });
}

function checkOptions({ level, stops, days, format }: TimelineOptions): void {
  const chosen = [level !== undefined, stops === true, days === true].filter(Boolean).length;
  if (chosen > 1) throw usageError('Choose one of --level, --stops and --days.');
  const isOther = format === 'geojson' && (level !== undefined || days === true);
  if (isOther) throw usageError('GeoJSON has stops only: leave out --level and --days.');
  if (format === 'json' && chosen > 0) {
    throw usageError('JSON has all there is: leave out --level, --stops and --days.');
  }
}

async function show(result: TimelineResult, options: TimelineOptions): Promise<void> {
  const { format } = options;
  const notes = isEmpty(result) ? emptyLines(result) : footLines(result);
  if (format === 'json') return printJson(result);
  if (format === 'table' && !isEmpty(result)) return showTables(result, options, notes);
  if (format === 'geojson') await writeGeoJson(result.timeline);
  if (format === 'csv') await writeCsv(result, options);
  // A program reads the data, its user the notes.
  for (const line of notes) note(line);
}

function writeCsv(result: TimelineResult, { stops, days, level }: TimelineOptions): Promise<void> {
  if (stops === true) return writeStopsCsv(result.timeline);
  if (days === true) return writeDaysCsv(result.days);
  return writePlacesCsv(
    level === undefined ? result.places : result.places.filter((place) => place.level === level),
  );
}

async function showTables(
  result: TimelineResult,
  { stops, days, level }: TimelineOptions,
  notes: readonly string[],
): Promise<void> {
  for (const line of headLines(result)) await print(line);
  await print();
  if (days === true) await printDays(result);
  else if (stops === true || result.dataset === null) await printStops(result);
  else if (level !== undefined) await printLevel(result, level);
  else await printOverview(result);
  for (const line of notes) await print(line);
}

export const command = legacyCommand('timeline', registerTimeline);
