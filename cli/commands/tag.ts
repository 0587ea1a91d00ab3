import { usageError } from '../../model/exit-error.ts';
import type { Tag } from '../../client/waypoints/types.ts';
import type { Place } from '../../model/waypoint.ts';
import type { CommandContext } from '../program/context.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { note } from '../terminal/output.ts';
import { tableLines, type TableColumn } from '../terminal/table.ts';
import { counted, forTerminal, tagList } from '../terminal/text.ts';
import { atOption, findPlace } from './place.ts';

interface AllTags {
  readonly distinct: true;
  readonly tags: readonly Tag[];
}
type WaypointTags = Place & Pick<AllTags, 'tags'>;

const columns: readonly TableColumn<Tag>[] = [
  { title: 'TAG', canShrink: true, text: ({ display }) => display },
  { title: 'WAYPOINTS', align: 'right', text: ({ count }) => count?.toString() ?? '' },
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
    return withPlace(context, name, at, (client, place) => client.addTags(place, tags));
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
      let left: Tag[] = [];
      for (const tag of tags) left = await client.deleteTag(place, tag);
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
    withDaemon({ context }, (client) => client.renameTag(tag, newTag)),
  show: ({ renamed, waypoints }) =>
    renamed ? `Renamed it at ${counted(waypoints, 'waypoint')}.` : 'No waypoint has this tag.',
});

const list = defineCommand({
  name: 'list',
  summary: 'list all tags, or those of a waypoint',
  description: 'Lists all tags with how many waypoints have each, or the tags of one waypoint.',
  arguments: '[name]',
  options: atOption,
  run: ({ context, words: [name], options: { at } }): Promise<WaypointTags | AllTags> =>
    name === undefined
      ? withDaemon({ context, needsLibrary: true }, allTags)
      : withPlace(context, name, at, (client, place) => client.fetchTags(place)),
  show(answer) {
    if (answer.tags.length === 0) {
      return note(
        'name' in answer ? forTerminal(`"${answer.name}" has no tags.`) : 'There are no tags yet.',
      );
    }
    if (!('name' in answer)) return tableLines(columns, answer.tags);
    return answer.tags.map(({ display }) => display);
  },
});

export const command = defineCommand({
  name: 'tag',
  summary: 'tag waypoints, list tags',
  description:
    'Tags waypoints, bookmarks and imported ones alike. Known words and symbols show an emoji: beach, home, coffee, * (star), ! (important) …',
  commands: [add, remove, rename, list],
});

async function allTags(client: DaemonClient): Promise<AllTags> {
  return { distinct: true, tags: await client.fetchDistinctTags(undefined, true) };
}

/** Imported waypoints have tags too, so that these commands need the library. */
function withPlace(
  context: CommandContext,
  name: string,
  at: string | undefined,
  use: (client: DaemonClient, place: Place) => Promise<Tag[]>,
): Promise<WaypointTags> {
  return withDaemon({ context, needsLibrary: true }, async (client) => {
    const place = await findPlace(client, name, { at });
    return { ...place, tags: await use(client, place) };
  });
}

function showTags({ name, tags }: WaypointTags): string {
  const list = tags.length === 0 ? 'has no tags now' : `is tagged ${tagList(tags)}`;
  return `"${name}" ${list}.`;
}
