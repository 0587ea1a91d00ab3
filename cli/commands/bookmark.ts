import type { WaypointChanges } from '../../client/waypoints/types.ts';
import { enrichTag } from '../../model/tag.ts';
import { isLink, type Link } from '../../model/link.ts';
import { parseTime } from '../../model/time.ts';
import { textFields, waypointFields } from '../../model/waypoint-fields.ts';
import { usageError } from '../../model/exit-error.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { degrees, tagList } from '../terminal/text.ts';
import { atOption, findPlace, parsePosition } from './place.ts';

const textNames = textFields.filter((name) => name !== 'desc');

/** The optional fields beside elevation, time and note. */
const moreOptions = {
  ...(Object.fromEntries(
    textNames.map((name) => [`--${name} <text>`, waypointFields[name].help]),
  ) as Readonly<Record<`--${(typeof textNames)[number]} <text>`, string>>),
  '--link <address>': {
    help: 'a page about it, and after a blank its title; may be given several times',
    isRepeated: true,
  },
} as const;

const add = defineCommand({
  name: 'add',
  summary: 'add a bookmark',
  description: 'Adds a bookmark at a position in decimal degrees (WGS84).',
  arguments: '<name> <lat> [lon]',
  options: {
    '-t, --tag <tag>': { help: 'tag it; may be given several times', isRepeated: true },
    '-d, --desc <text>': waypointFields.desc.help,
    '--ele <metres>': waypointFields.ele.help,
    '--time <time>': `${waypointFields.time.help}; now when left out`,
    ...moreOptions,
  },
  examples: [
    'bookmark add "Camp" 42.1 -8.3 --tag home --tag "by the river"',
    'bookmark add "Camp" 42.1,-8.3',
    'bookmark add "Camp" 42.1N 8.3W',
    'bookmark add "Camp" 42.1,-8.3 --sym Campground --link "https://example.org/ About it"',
  ],
  run({ context, words: [name, lat, lon], options }) {
    const { tag: tags, ele, time, link, ...texts } = options;
    const body = {
      name: checkName(name),
      ...parsePosition(lat, lon),
      ...texts,
      ele: checkElevation(ele),
      time: checkTime(time),
      links: link?.map(linkOf),
      tags,
    };
    return withDaemon({ context, makesData: true }, async (client) => {
      const { tags: saved, ...waypoint } = await client.addWaypoint(body);
      return saved === undefined
        ? waypoint
        : { ...waypoint, tags: saved.map(({ raw }) => enrichTag(raw)) };
    });
  },
  show(saved) {
    const tagged = 'tags' in saved ? `, tagged ${tagList(saved.tags)}` : '';
    return `Added "${saved.name}" at ${where(saved)}${tagged}.`;
  },
});

const rename = defineCommand({
  name: 'rename',
  summary: 'give a bookmark another name',
  description: 'Gives a bookmark another name. Its tags stay with it.',
  arguments: '<name> <new-name>',
  options: atOption,
  run: ({ context, words: [name, newName], options }) =>
    change(context, name, options.at, { name: checkName(newName) }),
  show: ({ oldName, newName }) => `Renamed "${oldName}" to "${newName}".`,
});

const edit = defineCommand({
  name: 'edit',
  summary: 'change a bookmark',
  description:
    'Changes a bookmark. An empty value, such as --desc "", removes the old one; --link replaces all links.',
  arguments: '<name>',
  options: {
    ...atOption,
    '--name <name>': 'another name',
    '--to <lat,lon>': 'another position',
    '-d, --desc <text>': 'another note',
    '--ele <metres>': 'another elevation',
    '--time <time>': 'another time, such as 2024-06-01T12:00:00Z',
    ...moreOptions,
  },
  examples: [
    'bookmark edit "Camp" --desc "water at the bridge"',
    'bookmark edit "Camp" --to 42.12,-8.31 --ele ""',
  ],
  run({ context, words: [called], options }) {
    const { name, to, at: place, ele, time, link, ...texts } = options;
    const changes = {
      ...(name === undefined ? {} : { name: checkName(name) }),
      ...(to === undefined ? {} : parsePosition(to)),
      // The API clears a field with null.
      ...Object.fromEntries(
        Object.entries(texts).map(([field, text]) => [field, text === '' ? null : text]),
      ),
      ele: ele === '' ? null : checkElevation(ele),
      time: time === '' ? null : checkTime(time),
      links: link?.filter((text) => text !== '').map(linkOf),
    };
    if (Object.values(changes).every((value) => value === undefined)) {
      throw usageError(
        `Say what to change: --name, --to, --desc, --ele, --time, --${textNames.join(', --')} or --link.`,
      );
    }
    return change(context, called, place, changes);
  },
  show: (answer) => `Changed "${answer.newName}" at ${where(answer)}.`,
});

const remove = defineCommand({
  name: 'rm',
  aliases: ['remove'],
  summary: 'remove a bookmark',
  description:
    'Removes a bookmark and its tags. An imported waypoint of the same name and place shows again.',
  arguments: '<name>',
  options: atOption,
  run: ({ context, words: [name], options }) =>
    withDaemon({ context }, async (client) => {
      const place = await findPlace(client, name, { at: options.at, bookmarksOnly: true });
      return { deleted: true, ...(await client.deleteWaypoint(place)) };
    }),
  show: (answer) => `Removed "${answer.name}" at ${where(answer)}.`,
});

const merge = defineCommand({
  name: 'merge',
  summary: 'decide about a bookmarks file that deletes many',
  description:
    'A bookmarks file (bookmarks.gpx) that would delete more than 20 bookmarks, or more than half of them, is neither merged nor written over until you say what is meant. A copy of it stays in backups/ in either case.',
  options: {
    '--accept': 'delete what the file does not have',
    '--discard': 'keep all bookmarks and write the file anew',
  },
  run({ context, options: { accept, discard } }) {
    if (accept === discard) throw usageError('Say either --accept or --discard.');
    return withDaemon({ context, needsLibrary: true }, async (client) => ({
      decided: await client.decideBookmarksFile(accept),
    }));
  },
  show: ({ decided }, { options: { accept } }) =>
    !decided
      ? 'No bookmarks file is waiting.'
      : accept
        ? 'Merged the bookmarks file.'
        : 'Wrote the bookmarks file anew.',
});

export const command = defineCommand({
  name: 'bookmark',
  aliases: ['bookmarks'],
  summary: 'add, rename, edit or remove a bookmark',
  description:
    'Adds, renames, edits or removes a bookmark. "waypointd list --bookmarks" lists them.',
  commands: [add, rename, edit, remove, merge],
});

function change(
  context: CommandContext,
  called: string,
  position: string | undefined,
  changes: WaypointChanges,
) {
  return withDaemon({ context }, async (client) => {
    const place = await findPlace(client, called, { at: position, bookmarksOnly: true });
    const { name, lat, lon } = await client.editWaypoint(place, changes);
    return { renamed: true, oldName: place.name, newName: name, lat, lon };
  });
}

function where({ lat, lon }: { readonly lat: number; readonly lon: number }): string {
  return `${degrees(lat)}, ${degrees(lon)}`;
}

function checkName(name: string): string {
  if (name.trim() === '') throw usageError('The name is empty.');
  return name;
}

function checkElevation(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const metres = Number(text);
  if (text.trim() === '' || !Number.isFinite(metres)) {
    throw usageError('--ele is a number of metres, such as --ele 412.5.');
  }
  return metres;
}

/** An address, and what it is called. */
function linkOf(option: string): Link {
  const [href = '', ...words] = option.trim().split(/\s+/u);
  if (!isLink({ href })) {
    throw usageError('--link is an address of http, https or mailto: --link https://example.org/.');
  }
  return words.length === 0 ? { href } : { href, text: words.join(' ') };
}

function checkTime(text: string | undefined): string | undefined {
  if (text === undefined || parseTime(text.trim()) !== undefined) return text;
  throw usageError('--time is a date with a time, such as --time 2024-06-01T12:00:00Z.');
}
