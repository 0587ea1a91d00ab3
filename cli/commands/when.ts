import { stayTime } from '../../model/timeline-words.ts';
import type { Suggestion } from '../../model/search.ts';
import { foldName } from '../../model/fold.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { metresApart } from '../../model/near-bookmark.ts';
import type { Position } from '../../model/position.ts';
import type { TimelineResult, TimelineStop } from '../../model/timeline-result.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { counted, degrees, forTerminal, wrapText } from '../terminal/text.ts';
import { parsePosition } from './place.ts';
import { writeStops } from './timeline/csv.ts';
import { choiceOf, sourceOptions, zoneOptions } from './timeline/period.ts';
import { filledIn, noteCut, runTimeline } from './timeline/run.ts';
import { stopLines } from './timeline/tables.ts';
import { noteWidth, zoneSentence } from './timeline/wording.ts';

/** Radius around a position or a waypoint. */
const usualRadiusM = 200;
const mostRadiusM = 100_000;
/** Timelines name a stay after a town that is no further off. */
const localityM = 20_000;

export const command = defineCommand({
  name: 'when',
  summary: 'show when you were at a place',
  description:
    'Lists all visits to a place: a position or the name of a waypoint of yours (200 m around it), a town (the circle that its people fill, and what timelines name after it), a region or a country.',
  arguments: '<place...>',
  options: {
    '--radius <metres>': 'how far around it instead',
    ...zoneOptions,
    ...sourceOptions,
    '--csv': 'a line for each, for a spreadsheet',
  },
  examples: [
    'when 41.1496,-8.6110',
    'when "Casa da Música" --radius 500',
    'when Lisbon',
    'when Portugal',
  ],
  async run({ context, words: [words], options }) {
    const { radius } = options;
    if (radius !== undefined && !(Number(radius) > 0 && Number(radius) <= mostRadiusM)) {
      throw usageError('The radius is between 1 and 100000 metres.');
    }
    const choice = choiceOf(options);
    return withDaemon(
      { context, endsInOrder: true, needsLibrary: true },
      async (client, { stopped }) => {
        const named = await placeOf(client, words);
        const place = radius === undefined ? named : withRadius(named, Number(radius));
        const request = await filledIn(client, { isAll: true, ...choice });
        const result = await runTimeline(client, request, stopped);
        if (result === undefined) return undefined;
        noteCut(result);
        const visits = result.timeline.filter((stop) => stop.kind !== 'pass' && isAt(stop, place));
        return { place, visits, result };
      },
    );
  },
  json: ({ place: { radius_m: radiusM, ...place }, visits }) => ({
    place,
    ...(radiusM === undefined ? {} : { radius_m: radiusM }),
    visits,
  }),
  show: ({ place, visits, result }, { options }) =>
    options.csv ? writeStops(visits) : visitLines(place, visits, result),
});

/** A place and how far it reaches, or else the country or region that it is. */
type NamedPlace = Position &
  Partial<Pick<Suggestion, 'name' | 'radius_m' | 'country_id' | 'region_id'>> & {
    /** The town that it is. */
    readonly locality?: string;
  };

function withRadius({ name, lat, lon }: NamedPlace, radiusM: number): NamedPlace {
  return { ...(name === undefined ? {} : { name }), lat, lon, radius_m: radiusM };
}

function isAt(stop: TimelineStop, place: NamedPlace): boolean {
  const { radius_m: radiusM, country_id: country, region_id: region } = place;
  if (radiusM !== undefined) {
    const reach = stop.locality === place.locality ? Math.max(radiusM, localityM) : radiusM;
    return metresApart(stop, place) <= reach;
  }
  return region === undefined ? stop.country_id === country : stop.region_id === region;
}

/** A position, or else the first that search finds, those that are called just so before the others. */
async function placeOf(client: DaemonClient, words: readonly string[]): Promise<NamedPlace> {
  const text = words.join(' ').trim();
  if (/^[-+\d]/u.test(text) || /^geo:/iu.test(text)) {
    const position = words.length === 2 ? parsePosition(words[0]!, words[1]) : parsePosition(text);
    return { ...position, radius_m: usualRadiusM };
  }
  const { suggestions } = await client.suggest(text);
  const first = suggestions.find((found) => isCalled(found, text)) ?? suggestions[0];
  if (first === undefined) throw new ExitError(`Nothing is called ${forTerminal(text)}.`);
  const { name, lat, lon, radius_m, country_id, region_id } = first;
  if (country_id !== undefined) return { name, lat, lon, country_id, region_id };
  if (radius_m === undefined) return { name, lat, lon, radius_m: usualRadiusM };
  return { name, lat, lon, radius_m, locality: name.split(',')[0]! };
}

function isCalled({ name, source }: Suggestion, text: string): boolean {
  if (source !== 'geocode') return foldName(name) === foldName(text);
  const [[first = ''], [wanted = '']] = [name.split(','), text.split(',')];
  return foldName(first) === foldName(wanted.trim());
}

async function* visitLines(
  { name, lat, lon, radius_m: radiusM, locality }: NamedPlace,
  visits: readonly TimelineStop[],
  result: TimelineResult,
): AsyncGenerator<string> {
  const seconds = visits.reduce((sum, stop) => sum + stop.duration_seconds, 0);
  const named = name === undefined ? '' : `${name}, `;
  const metres = radiusM?.toLocaleString('en-US');
  const around =
    radiusM === undefined
      ? `In ${name ?? ''}`
      : locality === undefined
        ? `Within ${metres} m of ${named}${degrees(lat)}, ${degrees(lon)}`
        : `At ${named}within ${metres} m or named after it`;
  if (visits.length === 0) return yield `${around}: never, as far as recorded.`;
  const summary = `${around}: ${counted(visits.length, 'visit')}, ${stayTime(seconds)}.`;
  yield* wrapText(`${summary} ${zoneSentence(result.period.time_zone)}`, noteWidth);
  yield '';
  // The way between visits is not the way to one.
  yield* stopLines({ ...result, timeline: [...visits] }, false);
}
