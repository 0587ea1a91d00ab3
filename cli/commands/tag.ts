import type { Command } from 'commander';
import type { Yield } from '../../model/schema.ts';
import { tagSchema } from '../../model/tag.ts';
import { distinctTagsSchema, waypointTagsSchema } from '../../model/waypoint.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { note, print, printJson, terminalWidth } from '../terminal/output.ts';
import { findPlace } from './place.ts';
import { forTerminal, layOut, tableLine, titleLine, type Column } from '../terminal/table.ts';
import { tagList } from '../terminal/wording.ts';

interface TagOptions {
  readonly at?: string;
  readonly json?: boolean;
}

const atHelp = 'which waypoint, when several have this name: LAT,LON';
const columns: readonly Column[] = [
  { title: 'TAG', canShrink: true },
  { title: 'WAYPOINTS', align: 'right' },
];

/** `waypointd tag add|rm|list` */
export function registerTag(program: Command): void {
  const tag = program
    .command('tag')
    .summary('tag waypoints, list tags')
    .description(
      'Tags waypoints, bookmarks and imported ones alike. Known words and symbols show an emoji: beach,\nhome, coffee, * (star), ! (important) …',
    );
  registerAdd(tag);
  registerRemove(tag);
  registerList(tag);
}

function registerAdd(tag: Command): void {
  tag
    .command('add <name> <tag...>')
    .summary('add tags to a waypoint')
    .description('Adds tags to a waypoint.')
    .option('--at <lat,lon>', atHelp)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExample:\n  waypointd tag add "Camp" home "by the river"')
    .action(async (name: string, tags: string[], options: TagOptions, command: Command) => {
      const answer = await withTags(command, async (client) => {
        const { name: found, lat, lon } = await findPlace(client, name, options);
        const body = { name: found, lat, lon, tags };
        const query = { emoji: true };
        return client.ask(waypointTagsSchema, 'POST', '/api/tags', { body, query });
      });
      await showTags(answer, options);
    });
}

function registerRemove(tag: Command): void {
  tag
    .command('rm <name> <tag...>')
    .alias('remove')
    .summary('remove tags from a waypoint')
    .description('Removes tags from a waypoint; one that it does not have is no mistake.')
    .option('--at <lat,lon>', atHelp)
    .option('--json', 'print the answer as JSON')
    .action(async (name: string, tags: string[], options: TagOptions, command: Command) => {
      const answer = await withTags(command, async (client) => {
        const place = await findPlace(client, name, options);
        const query = { name: place.name, lat: place.lat, lon: place.lon, emoji: true };
        let left: AnsweredTags = { ...place, tags: [] };
        for (const one of tags) {
          left = await client.ask(waypointTagsSchema, 'DELETE', '/api/tags', {
            query: { ...query, tag: one },
          });
        }
        return left;
      });
      await showTags(answer, options);
    });
}

/** Imported waypoints have tags too, so that these commands need the library. */
function withTags<T>(command: Command, use: (client: ApiClient) => Promise<T>): Promise<T> {
  return withDaemon(commandContext(command), use, { needsLibrary: true });
}

type AnsweredTags = Yield<typeof waypointTagsSchema>;

async function showTags(answer: AnsweredTags, { json }: TagOptions): Promise<void> {
  if (json === true) return printJson(answer);
  const list = answer.tags.length === 0 ? 'has no tags now' : `is tagged ${tagList(answer.tags)}`;
  await print(forTerminal(`"${answer.name}" ${list}.`));
}

function registerList(tag: Command): void {
  tag
    .command('list [name]')
    .summary('list all tags, or those of a waypoint')
    .description('Lists all tags with how many waypoints have each, or the tags of one waypoint.')
    .option('--at <lat,lon>', atHelp)
    .option('--json', 'print the answer as JSON')
    .action(async (name: string | undefined, options: TagOptions, command: Command) => {
      await (name === undefined ? listAll(command, options) : listOf(command, name, options));
    });
}

async function listOf(command: Command, name: string, options: TagOptions): Promise<void> {
  const answer = await withTags(command, async (client) => {
    const place = await findPlace(client, name, options);
    const query = { name: place.name, lat: place.lat, lon: place.lon, emoji: true };
    return client.ask(waypointTagsSchema, 'GET', '/api/tags', { query });
  });
  if (options.json === true) return printJson(answer);
  if (answer.tags.length === 0) return note(forTerminal(`"${answer.name}" has no tags.`));
  for (const one of answer.tags) await print(forTerminal(tagList([one])));
}

async function listAll(command: Command, options: TagOptions): Promise<void> {
  const answer = await withTags(command, (client) =>
    client.ask(distinctTagsSchema, 'GET', '/api/tags', {
      query: { distinct: true, emoji: true, counts: 1 },
    }),
  );
  if (options.json === true) return printJson(answer);
  if (answer.tags.length === 0) return note('There are no tags yet.');
  const rows = answer.tags.map((one) => {
    const count = tagSchema.safeParse(one).data?.count;
    return [tagList([one]), count === undefined ? '' : String(count)];
  });
  const layout = layOut(columns, rows, terminalWidth());
  await print(titleLine(layout));
  for (const row of rows) await print(tableLine(layout, row));
}
