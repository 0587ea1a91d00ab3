import { usageError } from '../../model/exit-error.ts';
import type { LifePlace, Summary } from '../../model/life.ts';
import type { TimelineResult } from '../../model/timeline-result.ts';
import { kilometres, placeOf, shortPlaceOf, stayTime } from '../../model/timeline-words.ts';
import { localTimeZone } from '../../model/time-zone.ts';
import { defineCommand } from '../program/command.ts';
import { untilMade } from '../program/polling.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { write } from '../terminal/output.ts';
import { counted, forTerminal } from '../terminal/text.ts';
import { calendarSvg } from './timeline/calendar-svg.ts';
import { clockOf } from './timeline/clock.ts';
import { isEmpty, zoneSentence } from './timeline/wording.ts';
import { runTimeline } from './timeline/run.ts';

interface Year {
  readonly year: string;
  readonly summary: Summary;
  readonly farthest?: LifePlace | undefined;
  readonly result?: TimelineResult;
}

export const command = defineCommand({
  name: 'year',
  summary: 'sum a year up: kilometres, countries, nights away',
  description:
    'Sums a year up: how far you went and by what means, your countries, regions and towns, nights away from home, the longest trip and the farthest place.',
  arguments: '<year>',
  options: { '--svg': 'a picture: the calendar of the year by country, with the sums' },
  examples: ['year 2024', 'year 2024 --json', 'year 2024 --svg > 2024.svg'],
  notes: 'Days are those of the place. docs/timelines.md says what the numbers mean.',
  async run({ context, words: [year], options, isJson }) {
    if (!/^\d{4}$/u.test(year))
      throw usageError(`${forTerminal(year)} is no year. Write four digits, such as 2024.`);
    if (options.svg && isJson) throw usageError('Choose one of --json and --svg.');
    const [from, to] = [`${year}-01-01`, `${year}-12-31`];
    return withDaemon(
      { context, endsInOrder: true, needsLibrary: true },
      async (client, { stopped }): Promise<Year | undefined> => {
        const summary = await untilMade(() => client.getSummary({ from, to }));
        if (isJson) return { year, summary };
        const farthest = await farthestOf(client, summary);
        const request = { start_date: from, end_date: to, time_zone: localTimeZone };
        const result = await runTimeline(client, request, stopped);
        return result && { year, summary, farthest, result };
      },
    );
  },
  json: ({ summary }) => summary,
  show({ year, summary, farthest, result }, { options }) {
    if (result === undefined || isEmpty(result)) return [`Nothing was recorded in ${year}.`];
    const lines = summaryLines({ summary, farthest, result }).map(forTerminal);
    if (options.svg) return write(calendarSvg(result, result.days, lines));
    return [`${year}. ${zoneSentence(localTimeZone)}`, '', ...lines];
  },
});

async function farthestOf(
  client: DaemonClient,
  { farthest }: Summary,
): Promise<LifePlace | undefined> {
  if (farthest === undefined) return undefined;
  const { lat, lon } = farthest;
  const { places } = await untilMade(() => client.getPlaces({ bbox: [lon, lat, lon, lat] }));
  return places[0];
}

function summaryLines({
  summary,
  farthest,
  result,
}: Omit<Year, 'year' | 'result'> & { readonly result: TimelineResult }): string[] {
  const { modes, countries, regions, towns, longest_trip: longest } = summary;
  const { nights_away: away, farthest: far, days_without_data: empty } = summary;
  return [
    `${kilometres(summary.distance_m)} km on the way.`,
    ...modes.map(
      ({ mode, trips, seconds, distance_m: metres }) =>
        `${mode === 'unknown' ? 'by unknown means' : mode}: ${kilometres(metres)} km in ${counted(trips, 'trip')}, ${stayTime(seconds)}.`,
    ),
    ...countries.map(
      ({ name, days, nights }) => `${name}: ${counted(days, 'day')}, ${counted(nights, 'night')}.`,
    ),
    `Stays in ${counted(regions, 'region')} and ${counted(towns, 'town')}.`,
    ...(away === undefined
      ? ['Home is not known: it takes ten visits, and most nights and hours there.']
      : [`${counted(away, 'night')} away from home.`]),
    ...(longest === undefined ? [] : [longestLine(longest, result)]),
    ...(far === undefined
      ? []
      : [
          `Farthest from home: ${kilometres(far.distance_m)} km, ${(farthest && placeOf(farthest)) || 'a place without a name'}, on ${far.date}.`,
        ]),
    `${counted(empty, 'day')} without data.`,
  ];
}

function longestLine(
  { start_utc: start, end_utc: end, distance_m, mode }: NonNullable<Summary['longest_trip']>,
  result: TimelineResult,
): string {
  const clock = clockOf(result);
  const trip = result.trips.find(({ start_utc }) => start_utc === start);
  const [from, to] = [trip?.from_stop ?? -1, trip?.to_stop ?? -1].map((at) => result.timeline[at]);
  const way = [from, to].map((stop) => stop && shortPlaceOf(stop)).filter(Boolean);
  const by = mode === 'unknown' ? '' : ` by ${mode}`;
  return `Longest trip: ${kilometres(distance_m)} km${by}, ${[way.join(' to '), `${clock(start, from)} to ${clock(end, to)}`].filter(Boolean).join(', ')}.`;
}
