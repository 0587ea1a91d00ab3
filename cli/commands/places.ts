import { usageError } from '../../model/exit-error.ts';
import type { LifePlace } from '../../model/life.ts';
import { limits } from '../../model/limits.ts';
import { formatTime } from '../../model/time.ts';
import { placeOf, stayTime } from '../../model/timeline-words.ts';
import { dayOf } from '../../storage/day-blob.ts';
import { defineCommand } from '../program/command.ts';
import { untilMade } from '../program/polling.ts';
import { withDaemon } from '../program/connection.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { dateAt } from './timeline/clock.ts';
import { parsePeriod, periodOptions } from './timeline/period.ts';

const columns: readonly TableColumn<LifePlace>[] = [
  { title: 'PLACE', canShrink: true, text: nameOf },
  { title: 'ROLE', text: ({ role = '' }) => role },
  { title: 'VISITS', align: 'right', text: ({ visits }) => String(visits) },
  { title: 'TIME', align: 'right', text: ({ seconds }) => stayTime(seconds) },
  { title: 'NIGHTS', align: 'right', text: ({ nights }) => String(nights) },
  { title: 'FIRST', text: (place) => dateAt(place.first_utc, place) },
  // A stay until midnight has nothing of the day that begins then.
  { title: 'LAST', text: (place) => dateAt(formatTime(Date.parse(place.last_utc) - 1), place) },
  { title: 'AT', text: ({ lat, lon }) => `${lat.toFixed(5)},${lon.toFixed(5)}` },
];

export const command = defineCommand({
  name: 'places',
  summary: 'list the places where you stay, with visits, hours and nights',
  description:
    'Lists the places of all your stays, those with most time first: how often you came, how long you were there, how many nights. Home and work are told where the recordings show them. A bookmark within 150 m names a place.',
  arguments: '[period...]',
  options: {
    '--last <span>': periodOptions['--last <span>'],
    '--home': 'only home',
    '--work': 'only work',
    '-n, --limit <count>': {
      help: `how many, 1 to ${limits.placesMax}`,
      default: String(limits.placesDefault),
    },
  },
  examples: ['places', 'places 2024', 'places --home', 'places 2023 2024 --limit 20 --json'],
  notes: 'Without a period it is all that was recorded. Days are those of the place.',
  async run({ context, words: [words], options }) {
    const { home, work, last } = options;
    const limit = Number(options.limit.trim());
    if (!Number.isInteger(limit) || limit < 1 || limit > limits.placesMax) {
      throw usageError(`--limit is a whole number from 1 to ${limits.placesMax}.`);
    }
    if (home && work) throw usageError('Choose one of --home and --work.');
    const isWhole = words.length === 0 && last === undefined;
    const { start_date: from, end_date: to } = isWhole
      ? {}
      : parsePeriod(words, last, dayOf(Date.now()));
    const role = home ? 'home' : work ? 'work' : undefined;
    return withDaemon({ context, needsLibrary: true }, async (client) => {
      const query = { from, to, limit: role === undefined ? limit : limits.placesMax };
      const { places } = await untilMade(() => client.getPlaces(query));
      return { places: places.filter((place) => role === undefined || place.role === role) };
    });
  },
  show: ({ places }, { options: { home, work } }) =>
    tableLines(
      columns,
      places,
      home || work
        ? 'The recordings do not show it: it takes ten visits in this time, and most nights and hours (or working hours) there.'
        : 'There are no stays in this time.',
    ),
});

/** The user's own name, else the town. */
function nameOf(place: LifePlace): string {
  if (place.bookmark !== undefined) return placeOf(place);
  return [place.locality || place.region, place.country].filter(Boolean).join(', ');
}
