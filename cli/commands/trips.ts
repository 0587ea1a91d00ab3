import {
  guessOf,
  modeText,
  kilometres,
  meansOf,
  shortPlaceOf,
  stayTime,
} from '../../model/timeline-words.ts';
import { knownFields } from '../../model/schema.ts';
import {
  type TimelineLeg,
  type TimelineResult,
  type TimelineStop,
  type TimelineTrip,
  timelineTripSchema,
} from '../../model/timeline-result.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { defineCommand } from '../program/command.ts';
import { note } from '../terminal/output.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { clockOf } from './timeline/clock.ts';
import { writeRows } from './timeline/csv.ts';
import { periodOptions, requestOf } from './timeline/period.ts';
import { noteCut, timelineOf } from './timeline/run.ts';
import { emptyLines, headLines, isEmpty } from './timeline/wording.ts';

export const command = defineCommand({
  name: 'trips',
  summary: 'show how you travelled, and how far',
  description:
    'Lists the trips between your stops: when, how far, how long and by what means, as far as speed tells.',
  arguments: '[period...]',
  options: {
    ...periodOptions,
    '--csv': 'a line for each, for a spreadsheet',
  },
  examples: ['trips 2024-07', 'trips --last 4w', 'trips 2024 --csv > trips.csv'],
  notes: `Means are guessed from how fast and how evenly you went, those with a question mark from little
(docs/timelines.md). Days and times are those of the place where you were.`,
  async run({ context, words: [words], options }) {
    const result = await timelineOf(context, requestOf(words, options, dayOf(Date.now())));
    if (result !== undefined) noteCut(result);
    return result;
  },
  json: ({ trips, period, dataset }) => ({ period, trips, dataset }),
  show: (result, { options }) =>
    options.csv
      ? writeRows(knownFields(timelineTripSchema.omit({ legs: true })), result.trips)
      : tripLines(result),
});

/** A line of the table: a trip, or one of several legs of the trip above it. */
interface Row extends Pick<TimelineTrip, 'start_utc' | 'distance_m'> {
  readonly by: string;
  readonly seconds: number;
  readonly from?: TimelineStop | undefined;
  readonly to?: TimelineStop | undefined;
}

async function* tripLines(result: TimelineResult): AsyncGenerator<string> {
  if (isEmpty(result)) return emptyLines(result).forEach(note);
  const { timeline, trips } = result;
  const clock = clockOf(result);
  const nameOf = (stop: TimelineStop | undefined): string =>
    stop === undefined ? '' : shortPlaceOf(stop) || '(at sea or unknown)';
  const columns: readonly TableColumn<Row>[] = [
    { title: 'LEFT', text: ({ start_utc: start, from }) => clock(start, from) },
    { title: 'TIME', align: 'right', text: ({ seconds }) => stayTime(seconds) },
    { title: 'KM', align: 'right', text: ({ distance_m: metres }) => kilometres(metres) },
    { title: 'BY', text: ({ by }) => by },
    { title: 'FROM', canShrink: true, text: ({ from }) => nameOf(from) },
    { title: 'TO', canShrink: true, text: ({ to }) => nameOf(to) },
  ];
  const rows = trips.flatMap((trip): Row[] => {
    const [from, to] = [timeline[trip.from_stop], timeline[trip.to_stop]];
    const whole = { ...trip, by: guessOf(trip), seconds: trip.duration_seconds, from, to };
    return [whole, ...(trip.legs.length > 1 ? trip.legs.map(legRow) : [])];
  });
  yield* headLines(result);
  yield '';
  yield* tableLines(columns, rows);
  yield '';
  // By legs: what was walked to a train is walked.
  const ways = trips.flatMap((trip) =>
    trip.recorded_observations > 0
      ? trip.legs.map((leg) => ({ ...leg, means: leg.mode as string, index: trip.index }))
      : [{ ...trip, means: meansOf(trip) }],
  );
  for (const [means, rows] of Map.groupBy(ways, (row) => row.means)) {
    const metres = rows.reduce((sum, row) => sum + row.distance_m, 0);
    const count = new Set(rows.map(({ index }) => index)).size;
    yield `${means.padEnd(12)} ${kilometres(metres).padStart(8)} km in ${count}`;
  }
}

function legRow(leg: TimelineLeg): Row {
  const seconds = (Date.parse(leg.end_utc) - Date.parse(leg.start_utc)) / 1_000;
  return { ...leg, by: `  ${modeText(leg)}`, seconds };
}
