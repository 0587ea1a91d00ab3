import type { Command } from 'commander';
import { suggestSchema, type Suggestion } from '../../model/search.ts';
import { withDaemon } from './connection.ts';
import { commandContext } from './context.ts';
import { note, print, printJson, terminalWidth } from './output.ts';
import { forTerminal, layOut, tableLine, titleLine, type Column } from './table.ts';
import { degrees } from './wording.ts';

const columns: readonly Column[] = [
  { title: 'NAME', canShrink: true },
  { title: 'LAT', align: 'right' },
  { title: 'LON', align: 'right' },
  { title: 'FOUND IN', canShrink: true },
];

const sources: Readonly<Record<Suggestion['source'], string>> = {
  bookmark: 'bookmarks',
  waypoint: 'imported waypoints',
  geocode: 'places',
};

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
      const answer = await withDaemon(commandContext(command), (client) =>
        client.ask(suggestSchema, 'GET', '/api/suggest', { query: { q: text } }),
      );
      if (options.json === true) return printJson(answer);
      if (answer.suggestions.length === 0) return note(`Nothing found for "${forTerminal(text)}".`);
      const rows = answer.suggestions.map(rowOf);
      const layout = layOut(columns, rows, terminalWidth());
      await print(titleLine(layout));
      for (const row of rows) await print(tableLine(layout, row));
    });
}

function rowOf({ name, lat, lon, source, class: kind, type }: Suggestion): string[] {
  const detail = kind === 'tag' ? ', by tag' : type === undefined ? '' : ` (${type})`;
  return [name, degrees(lat), degrees(lon), sources[source] + detail];
}
