import type { SuggestAnswer, Suggestion } from '../../model/search.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { usageError } from '../../model/exit-error.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { askUntil } from '../program/polling.ts';
import { geodataRemedy } from '../terminal/invocation.ts';
import { note } from '../terminal/output.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { forTerminal } from '../terminal/text.ts';
import { nameColumns } from './place.ts';

const sources: Readonly<Record<Suggestion['source'], string>> = {
  bookmark: 'bookmarks',
  waypoint: 'imported waypoints',
  geocode: 'places',
};

const columns: readonly TableColumn<Suggestion>[] = [
  ...nameColumns,
  {
    title: 'FOUND IN',
    canShrink: true,
    text({ source, class: kind, type, other_name: otherName }) {
      const detail = kind === 'tag' ? ', by tag' : type === undefined ? '' : ` (${type})`;
      return sources[source] + detail + (otherName === undefined ? '' : `, as ${otherName}`);
    },
  },
];

const isTagQuery = /^\s*tag:/iu;

/** How long a geocoding server is waited for, ms. */
const patienceMs = 2_200;

export const command = defineCommand({
  name: 'search',
  summary: 'find waypoints by name or tag, and places by name',
  description:
    'Finds up to 8 waypoints by part of their name or by their tag, then towns of the world, 12 in all. A search from the command line is not added to the history.',
  arguments: '<text...>',
  examples: ['search fini', 'search tag:beach', 'search "tag:beach OR harbour"'],
  async run({ context, words: [words] }) {
    const text = words.join(' ').trim();
    if (text === '') throw usageError('Say what to search for, such as: search fini');
    const seeksPlaces = context.resolved.settings.geocoder !== 'off' && !isTagQuery.test(text);
    return withDaemon({ context, needsLibrary: true }, async (client) => {
      const answer = await suggestions(client, text);
      const isLacking =
        seeksPlaces && answer.suggestions.every(({ source }) => source !== 'geocode');
      return { text, answer, lacksGeodata: isLacking && (await hasNoGeodata(client)) };
    });
  },
  json: ({ answer }) => answer,
  async *show({ text, answer, lacksGeodata }) {
    if (answer.pending === true) note('The geocoding server has not answered yet.');
    if (lacksGeodata) note(`No towns of the world: there is no geodata. ${geodataRemedy()}`);
    yield* tableLines(columns, answer.suggestions, `Nothing found for "${forTerminal(text)}".`);
  },
});

/** Asks again for as long as a geocoding server is being asked: an answer never waits for it. */
function suggestions(client: DaemonClient, text: string): Promise<SuggestAnswer> {
  const giveUpAt = performance.now() + patienceMs;
  return askUntil(
    () => client.suggest(text),
    ({ pending }) => pending !== true || performance.now() > giveUpAt,
  );
}

async function hasNoGeodata(client: DaemonClient): Promise<boolean> {
  try {
    const { current } = await client.getGeodataStatus();
    return !current.valid;
  } catch (error) {
    // The hint is not worth losing the results for.
    if (error instanceof RequestFailure) return false;
    throw error;
  }
}
