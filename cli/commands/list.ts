import type { Command } from 'commander';
import { waypointSchema, type Waypoint } from '../../model/waypoint.ts';
import type { ApiClient, ApiRequest } from '../../client/waypoints/node/api-client.ts';
import { usageError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { invocation } from '../terminal/invocation.ts';
import { note, print, write, terminalWidth } from '../terminal/output.ts';
import { layOut, tableLine, titleLine, type Column } from '../terminal/table.ts';
import { counted, dateOf, degrees, tagList } from '../terminal/wording.ts';

interface ListOptions {
  readonly tag?: string;
  readonly bookmarks?: boolean;
  readonly bbox?: string;
  readonly json?: boolean;
}

/** The columns' widths come from so many rows; the rest is printed as it arrives. */
const rowsForLayout = 500;

/** Some hundred thousand waypoints, for a pager (`waypointd list | less`). */
const aheadBytes = 67_108_864;

const columns: readonly Column[] = [
  { title: 'NAME', canShrink: true },
  { title: 'LAT', align: 'right' },
  { title: 'LON', align: 'right' },
  { title: 'DATE' },
  { title: 'KIND' },
  { title: 'TAGS', canShrink: true },
];

/** `waypointd list` */
export function registerList(program: Command): void {
  program
    .command('list')
    .summary('list waypoints: bookmarks first, then imported ones')
    .description('Lists waypoints: bookmarks first, then imported ones.')
    .option('-t, --tag <tag>', 'only those with this tag')
    .option('-b, --bookmarks', 'only bookmarks')
    .option('--bbox <west,south,east,north>', 'only those in this box, in degrees')
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      `
Examples:
  waypointd list --tag beach
  waypointd list --bookmarks --json
  waypointd list --bbox -9,41.5,-8,43`,
    )
    .action(async (options: ListOptions, command: Command) => {
      const query = listQuery(options);
      await withDaemon(
        commandContext(command),
        (client) =>
          options.json === true
            ? printArray(client, { query, aheadBytes })
            : printTable(client, options, query),
        { needsLibrary: options.bookmarks !== true },
      );
    });
}

type Query = NonNullable<ApiRequest['query']>;

function listQuery({ tag, bookmarks, bbox }: ListOptions): Query {
  const box = bbox?.trim();
  if (box !== undefined && box.split(',').length !== 4) {
    throw usageError('A box is written as west,south,east,north, such as --bbox -9,41.5,-8,43.');
  }
  return { tag, bbox: box?.replaceAll(' ', ''), bookmarksOnly: bookmarks };
}

/** Prints the array as it arrives, one element on a line: memory does not grow with it. */
async function printArray(client: ApiClient, input: ApiRequest): Promise<void> {
  let isEmpty = true;
  for await (const line of client.lines('/api/waypoints', input)) {
    await write(isEmpty ? `[\n${line}` : `,\n${line}`);
    isEmpty = false;
  }
  await print(isEmpty ? '[]' : '\n]');
}

async function printTable(client: ApiClient, options: ListOptions, query: Query): Promise<void> {
  const first: string[][] = [];
  let layout: ReturnType<typeof layOut> | undefined;
  let count = 0;
  async function begin(): Promise<void> {
    layout = layOut(columns, first, terminalWidth());
    await print(titleLine(layout));
    for (const row of first) await print(tableLine(layout, row));
  }
  const input = { query: { ...query, emoji: true }, aheadBytes };
  for await (const waypoint of client.elements(waypointSchema, '/api/waypoints', input)) {
    count += 1;
    if (layout !== undefined) await print(tableLine(layout, rowOf(waypoint)));
    else if (first.push(rowOf(waypoint)) === rowsForLayout) await begin();
  }
  if (count === 0) return note(nothing(options));
  if (layout === undefined) await begin();
  if (process.stdout.isTTY) note(counted(count, 'waypoint'));
}

function rowOf({ name, lat, lon, time, bookmark, tags }: Waypoint): string[] {
  const kind = bookmark ? 'bookmark' : 'imported';
  return [
    name,
    degrees(lat),
    degrees(lon),
    time === undefined ? '' : dateOf(time),
    kind,
    tagList(tags),
  ];
}

function nothing({ tag, bookmarks, bbox }: ListOptions): string {
  if (tag !== undefined || bbox !== undefined) return 'No waypoint matches.';
  const program = invocation();
  return bookmarks === true
    ? `There are no bookmarks yet. Make one: ${program} bookmark add "Camp" 42.1 -8.3`
    : `There are no waypoints yet. Import some: ${program} import ~/tracks -r`;
}
