import { waypointSchema, type Waypoint } from '../../model/waypoint.ts';
import type { Query } from '../../client/waypoints/path.ts';
import { usageError } from '../../model/exit-error.ts';
import { defineCommand, type OptionValues } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient, StreamRequest } from '../program/daemon-client.ts';
import { invocation } from '../terminal/invocation.ts';
import { note, print, printLines, write } from '../terminal/output.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { counted, dateOf } from '../terminal/text.ts';
import { nameColumns, tagsColumn } from './place.ts';

const options = {
  '-t, --tag <tag>': 'only those with this tag',
  '-b, --bookmarks': 'only bookmarks',
  '--bbox <west,south,east,north>': 'only those in this box, in degrees',
  '--json': 'print a JSON array',
} as const;
type ListOptions = Omit<OptionValues<typeof options>, 'json'>;

/** Some hundred thousand waypoints, for a pager (`waypointd list | less`). */
const aheadBytes = 67_108_864;

export const waypointColumns: readonly TableColumn<Waypoint>[] = [
  ...nameColumns,
  { title: 'DATE', text: ({ time }) => (time === undefined ? '' : dateOf(time)) },
  { title: 'KIND', text: ({ bookmark }) => (bookmark ? 'bookmark' : 'imported') },
  tagsColumn,
];

export const command = defineCommand({
  name: 'list',
  summary: 'list waypoints: bookmarks first, then imported ones',
  options,
  examples: ['list --tag beach', 'list --bookmarks --json', 'list --bbox -9,41.5,-8,43'],
  async run({ context, options: given, isJson }) {
    const query = listQuery(given);
    await withDaemon({ context, needsLibrary: !given.bookmarks }, (client) =>
      isJson ? printArray(client, { query, aheadBytes }) : printRows(client, given, query),
    );
  },
});

function listQuery({ tag, bookmarks, bbox }: ListOptions): Query {
  const box = bbox?.trim();
  if (box !== undefined && box.split(',').length !== 4) {
    throw usageError('A box is written as west,south,east,north, such as --bbox -9,41.5,-8,43.');
  }
  return { tag, bbox: box?.replaceAll(' ', ''), ...(bookmarks && { bookmarksOnly: true }) };
}

/** Prints the array as it arrives, one element on a line: memory does not grow with it. */
async function printArray(client: DaemonClient, input: StreamRequest): Promise<void> {
  let isEmpty = true;
  for await (const line of client.lines('/api/waypoints', input)) {
    await write(isEmpty ? `[\n${line}` : `,\n${line}`);
    isEmpty = false;
  }
  await print(isEmpty ? '[]' : '\n]');
}

async function printRows(client: DaemonClient, options: ListOptions, query: Query): Promise<void> {
  let count = 0;
  async function* rows(): AsyncGenerator<Waypoint> {
    const input = { query: { ...query, emoji: true }, aheadBytes };
    for await (const waypoint of client.elements(waypointSchema, '/api/waypoints', input)) {
      count += 1;
      yield waypoint;
    }
  }
  await printLines(tableLines(waypointColumns, rows(), nothing(options)));
  if (count > 0 && process.stdout.isTTY) note(counted(count, 'waypoint'));
}

function nothing({ tag, bookmarks, bbox }: ListOptions): string {
  if (tag !== undefined || bbox !== undefined) return 'No waypoint matches.';
  const program = invocation();
  return bookmarks
    ? `There are no bookmarks yet. Make one: ${program} bookmark add "Camp" 42.1 -8.3`
    : `There are no waypoints yet. Import some: ${program} import ~/tracks -r`;
}
