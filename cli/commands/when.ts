import { suggestSchema } from '../../model/search.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import type { Position } from '../../model/position.ts';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import { print } from '../terminal/output.ts';
import { counted, degrees, forTerminal } from '../terminal/text.ts';
import { parsePosition } from './place.ts';
import { filledIn, runTimeline } from './timeline/run.ts';
import { printStops } from './timeline/tables.ts';
import { stayTime, zoneSentence } from './timeline/wording.ts';

const mostRadiusM = 100_000;
const metresPerDegree = 111_195;

/** `waypointd when` */
export const command = defineCommand({
  name: 'when',
  summary: 'tell when you were at a place',
  description:
    'Lists all visits to a place: a position, the name of a waypoint of yours, or a town.',
  arguments: '<place...>',
  options: {
    '--radius <metres>': { help: 'how far around it', default: '200' },
    '--json': 'print JSON',
  },
  examples: ['when 41.1496,-8.6110', 'when "Casa da Música"', 'when Lisbon --radius 10000'],
  async run({ context, words: [words], options }) {
    const radiusM = Number(options.radius);
    if (!(radiusM > 0 && radiusM <= mostRadiusM)) {
      throw usageError('The radius is between 1 and 100000 metres.');
    }
    return withDaemon(
      { context, endsInOrder: true, needsLibrary: true },
      async (client, { stopped }) => {
        const place = await placeOf(client, words);
        const request = await filledIn(client, { isAll: true });
        const result = await runTimeline(client, request, stopped);
        if (result === undefined) return undefined;
        const visits = result.timeline.filter(
          (stop) => stop.kind !== 'pass' && metresTo(stop, place) <= radiusM,
        );
        return { place, radiusM, visits, result };
      },
    );
  },
  json: ({ place, radiusM, visits }) => ({ place, radius_m: radiusM, visits }),
  show: ({ place, radiusM, visits, result }) => showVisits(place, radiusM, visits, result),
});

interface NamedPlace extends Position {
  readonly name?: string;
}

/** A position, or else the first that search finds. */
async function placeOf(client: ApiClient, words: readonly string[]): Promise<NamedPlace> {
  const text = words.join(' ').trim();
  if (/^[-+\d]/u.test(text) || /^geo:/iu.test(text)) {
    return words.length === 2 ? parsePosition(words[0]!, words[1]) : parsePosition(text);
  }
  const query = { q: text };
  const { suggestions } = await client.ask(suggestSchema, 'GET', '/api/suggest', { query });
  const [first] = suggestions;
  if (first === undefined) throw new ExitError(`Nothing is called ${forTerminal(text)}.`);
  return { name: first.name, lat: first.lat, lon: first.lon };
}

async function showVisits(
  { name, lat, lon }: NamedPlace,
  radiusM: number,
  visits: readonly TimelineStop[],
  result: TimelineResult,
): Promise<void> {
  const where = name === undefined ? '' : `${forTerminal(name)}, `;
  const seconds = visits.reduce((sum, stop) => sum + stop.duration_seconds, 0);
  const around = `Within ${radiusM.toLocaleString('en-US')} m of ${where}${degrees(lat)}, ${degrees(lon)}`;
  if (visits.length === 0) return print(`${around}: never, as far as recorded.`);
  await print(`${around}: ${counted(visits.length, 'visit')}, ${stayTime(seconds)}.`);
  await print(zoneSentence(result.period.time_zone));
  await print();
  // The way between visits is not the way to one.
  const rows = visits.map((stop) => ({ ...stop, distance_from_previous_m: 0 }));
  await printStops({ ...result, timeline: rows });
}

/** Right to half a percent within a hundred kilometres, on both sides of 180°. */
function metresTo({ latitude, longitude }: TimelineStop, { lat, lon }: Position): number {
  const turn = ((((longitude - lon + 180) % 360) + 360) % 360) - 180;
  const east = turn * Math.cos(((latitude + lat) / 2) * (Math.PI / 180));
  return Math.hypot(latitude - lat, east) * metresPerDegree;
}
