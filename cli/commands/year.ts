import { usageError } from '../../model/exit-error.ts';
import type { LifePlace, Summary } from '../../model/life.ts';
import { summaryLines } from '../../model/summary-words.ts';
import type { TimelineResult } from '../../model/timeline-result.ts';
import { placeOf } from '../../model/timeline-words.ts';
import { localTimeZone } from '../../model/time-zone.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { write } from '../terminal/output.ts';
import { forTerminal } from '../terminal/text.ts';
import { calendarSvg } from './timeline/calendar-svg.ts';
import { untilMade } from './timeline/patience.ts';
import { runTimeline } from './timeline/run.ts';

interface Year {
  readonly year: string;
  readonly summary: Summary;
  readonly farthest?: LifePlace | undefined;
  /** For a picture. */
  readonly result?: TimelineResult | undefined;
}

/** `waypointd year` */
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
    if (!/^\d{4}$/u.test(year)) throw usageError(`${forTerminal(year)} is no year: 2024.`);
    if (options.svg && isJson) throw usageError('Choose one of --json and --svg.');
    const [from, to] = [`${year}-01-01`, `${year}-12-31`];
    return withDaemon(
      { context, endsInOrder: true, needsLibrary: true },
      async (client, { stopped }): Promise<Year | undefined> => {
        const summary = await untilMade(() => client.getSummary({ from, to }));
        const farthest = await farthestOf(client, summary);
        if (!options.svg) return { year, summary, farthest };
        const request = { start_date: from, end_date: to, time_zone: localTimeZone };
        const result = await runTimeline(client, request, stopped);
        return result && { year, summary, farthest, result };
      },
    );
  },
  json: ({ summary }) => summary,
  show({ year, summary, farthest, result }) {
    const lines = summaryLines(summary, farthest && placeOf(farthest)).map(forTerminal);
    return result === undefined
      ? [year, '', ...lines]
      : write(calendarSvg(result, result.days, lines));
  },
});

/** The place that is farthest from home, with its names. */
async function farthestOf(
  client: DaemonClient,
  { farthest }: Summary,
): Promise<LifePlace | undefined> {
  if (farthest === undefined) return undefined;
  const { lat, lon } = farthest;
  const { places } = await untilMade(() => client.getPlaces({ bbox: [lon, lat, lon, lat] }));
  return places[0];
}
