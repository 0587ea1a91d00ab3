import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { geodataStatusSchema } from '../../model/geodata.ts';
import { suggestSchema, type SuggestAnswer, type Suggestion } from '../../model/search.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { geodataRemedy } from '../terminal/geodata-remedy.ts';
import { usageError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { note, print, printJson, terminalWidth } from '../terminal/output.ts';
import { forTerminal, layOut, tableLine, titleLine, type Column } from '../terminal/table.ts';
import { degrees } from '../terminal/wording.ts';

const columns: readonly Column[] = [
  { title: 'NAME', canShrink: true },
  { title: 'LAT', align: 'right' },
  { title: 'LON', align: 'right' },
  { title: 'FOUND IN', canShrink: true },
];

const isTagQuery = /^\s*tag:/iu;

const sources: Readonly<Record<Suggestion['source'], string>> = {
  bookmark: 'bookmarks',
  waypoint: 'imported waypoints',
  geocode: 'places',
};

/** How long, and how often, a geocoding server is waited for, ms. */
const patienceMs = 2_200;
const pauseMs = 300;

/** `waypointd search` */
export function registerSearch(program: Command): void {
  program
    .command('search <text...>')
    .summary('find waypoints by name or tag, and places by name')
    .description(
      'Finds up to 8 waypoints by part of their name or by their tag, then towns of the world, 12 in\nall. A search from the command line is not added to the history.',
    )
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Examples:
  waypointd search fini
  waypointd search tag:beach
  waypointd search "tag:beach OR harbour"`,
    )
    .action(async (words: string[], options: { readonly json?: boolean }, command: Command) => {
      const text = words.join(' ').trim();
      if (text === '') throw usageError('Say what to search for, such as: search fini');
      const context = commandContext(command);
      const seeksPlaces = context.resolved.settings.geocoder !== 'off' && !isTagQuery.test(text);
      const { answer, lacksGeodata } = await withDaemon(
        context,
        async (client) => {
          const found = await suggestions(client, text);
          const isLacking = seeksPlaces && !found.suggestions.some(isPlace);
          return { answer: found, lacksGeodata: isLacking && (await hasNoGeodata(client)) };
        },
        { needsLibrary: true },
      );
      if (options.json === true) return printJson(answer);
      if (answer.pending === true) note('The geocoding server has not answered yet.');
      if (lacksGeodata) note(`No towns of the world: there is no geodata. ${geodataRemedy()}`);
      if (answer.suggestions.length === 0) return note(`Nothing found for "${forTerminal(text)}".`);
      const rows = answer.suggestions.map(rowOf);
      const layout = layOut(columns, rows, terminalWidth());
      await print(titleLine(layout));
      for (const row of rows) await print(tableLine(layout, row));
    });
}

/** Asks again for as long as a geocoding server is being asked: an answer never waits for it. */
async function suggestions(client: ApiClient, text: string): Promise<SuggestAnswer> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const answer = await client.ask(suggestSchema, 'GET', '/api/suggest', { query: { q: text } });
    if (answer.pending !== true || performance.now() + pauseMs > giveUpAt) return answer;
    await delay(pauseMs);
  }
}

function isPlace({ source }: Suggestion): boolean {
  return source === 'geocode';
}

async function hasNoGeodata(client: ApiClient): Promise<boolean> {
  try {
    const { current } = await client.ask(geodataStatusSchema, 'GET', '/api/geodata');
    return !current.valid;
  } catch (error) {
    // What was found is worth more than why there is not more.
    if (error instanceof RequestFailure) return false;
    throw error;
  }
}

function rowOf({ name, lat, lon, source, class: kind, type }: Suggestion): string[] {
  const detail = kind === 'tag' ? ', by tag' : type === undefined ? '' : ` (${type})`;
  return [name, degrees(lat), degrees(lon), sources[source] + detail];
}
