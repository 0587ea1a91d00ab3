import { usageError } from '../../model/exit-error.ts';
import type { Yield } from '../../model/schema.ts';
import { tagSchema } from '../../model/tag.ts';
import {
  distinctTagsSchema,
  renamedTagSchema,
  waypointTagsSchema,
  type Place,
} from '../../model/waypoint.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import type { CommandContext } from '../program/context.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import { note } from '../terminal/output.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { counted, forTerminal, tagList } from '../terminal/text.ts';
import { atOption, findPlace } from './place.ts';

type WaypointTags = Yield<typeof waypointTagsSchema>;
type DistinctTags = Yield<typeof distinctTagsSchema>;

const columns: readonly TableColumn<DistinctTags['tags'][number]>[] = [
  { title: 'TAG', canShrink: true, text: (tag) => tagList([tag]) },
  {
    title: 'WAYPOINTS',
    align: 'right',
    text: (tag) => tagSchema.safeParse(tag).data?.count?.toString() ?? '',
  },
];

const add = defineCommand({
  name: 'add',
  summary: 'add tags to a waypoint',
  arguments: '<name> <tag...>',
  options: atOption,
  examples: ['tag add "Camp" home "by the river"'],
  run({ context, words: [name, tags], options: { at } }) {
    const position = tags.slice(0, 2).join();
    if (/^-?\d+\.\d+,-?\d+\.\d+$/u.test(position))
      throw usageError(`Say which waypoint is meant by --at ${position}.`);
    return withPlace(context, name, at, (client, place) =>
      client.ask(waypointTagsSchema, 'POST', '/api/tags', {
        body: { ...place, tags },
        query: { emoji: true },
      }),
    );
  },
  show: showTags,
});

const remove = defineCommand({
  name: 'rm',
  aliases: ['remove'],
  summary: 'remove tags from a waypoint',
  description: 'Removes tags from a waypoint; one that it does not have is no mistake.',
  arguments: '<name> <tag...>',
  options: atOption,
  run: ({ context, words: [name, tags], options: { at } }) =>
    withPlace(context, name, at, async (client, place) => {
      let left: WaypointTags = { ...place, tags: [] };
      for (const tag of tags) {
        const query = { ...place, emoji: true, tag };
        left = await client.ask(waypointTagsSchema, 'DELETE', '/api/tags', { query });
      }
      return left;
    }),
  show: showTags,
});

const rename = defineCommand({
  name: 'rename',
  summary: 'rename a tag of all waypoints',
  description: 'Renames a tag of all waypoints that have it, as one change.',
  arguments: '<tag> <new-tag>',
  run: ({ context, words: [tag, newTag] }) =>
    withDaemon({ context }, (client) =>
      client.ask(renamedTagSchema, 'PATCH', '/api/tags', { body: { tag, newTag } }),
    ),
  show: ({ renamed, waypoints }) =>
    renamed ? `Renamed it at ${counted(waypoints, 'waypoint')}.` : 'No waypoint has this tag.',
});

const list = defineCommand({
  name: 'list',
  summary: 'list all tags, or those of a waypoint',
  description: 'Lists all tags with how many waypoints have each, or the tags of one waypoint.',
  arguments: '[name]',
  options: atOption,
  run: ({ context, words: [name], options: { at } }): Promise<WaypointTags | DistinctTags> =>
    name === undefined
      ? withDaemon({ context, needsLibrary: true }, allTags)
      : withPlace(context, name, at, (client, place) =>
          client.ask(waypointTagsSchema, 'GET', '/api/tags', { query: { ...place, emoji: true } }),
        ),
  show(answer) {
    if (answer.tags.length === 0) {
      return note(
        'name' in answer ? forTerminal(`"${answer.name}" has no tags.`) : 'There are no tags yet.',
      );
    }
    if (!('name' in answer)) return tableLines(columns, answer.tags);
    return answer.tags.map((tag) => tagList([tag]));
  },
});

/** `waypointd tag add|rm|rename|list` */
export const command = defineCommand({
  name: 'tag',
  summary: 'tag waypoints, list tags',
  description:
    'Tags waypoints, bookmarks and imported ones alike. Known words and symbols show an emoji: beach, home, coffee, * (star), ! (important) …',
  commands: [add, remove, rename, list],
});

function allTags(client: ApiClient): Promise<DistinctTags> {
  const query = { distinct: true, emoji: true, counts: 1 };
  return client.ask(distinctTagsSchema, 'GET', '/api/tags', { query });
}

/** Imported waypoints have tags too, so that these commands need the library. */
function withPlace<T>(
  context: CommandContext,
  name: string,
  at: string | undefined,
  use: (client: ApiClient, place: Place) => Promise<T>,
): Promise<T> {
  return withDaemon({ context, needsLibrary: true }, async (client) =>
    use(client, await findPlace(client, name, { at })),
  );
}

function showTags({ name, tags }: WaypointTags): string {
  const list = tags.length === 0 ? 'has no tags now' : `is tagged ${tagList(tags)}`;
  return `"${name}" ${list}.`;
}
