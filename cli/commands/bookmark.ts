import type { Command } from 'commander';
import { deletedBookmarkSchema, renamedSchema, waypointSchema } from '../../model/waypoint.ts';
import { parseTime } from '../../model/time.ts';
import { usageError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { print, printJson } from '../terminal/output.ts';
import { findPlace, parsePosition } from './place.ts';
import { forTerminal } from '../terminal/table.ts';
import { degrees, tagList } from '../terminal/wording.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface AtOptions extends JsonOption {
  readonly at?: string;
}

interface AddOptions extends JsonOption {
  readonly tag?: string[];
  readonly desc?: string;
  readonly ele?: string;
  readonly time?: string;
}

interface EditOptions extends AtOptions {
  readonly name?: string;
  readonly to?: string;
  readonly desc?: string;
  readonly ele?: string;
  readonly time?: string;
}

const atHelp = 'which one, when several have this name: LAT,LON';

/** `waypointd bookmark add|rename|edit|rm` */
export function registerBookmark(program: Command): void {
  const bookmark = program
    .command('bookmark')
    .summary('add, rename, edit or remove a bookmark')
    .description(
      'Adds, renames, edits or removes a bookmark. "waypointd list --bookmarks" lists them.',
    );
  registerAdd(bookmark);
  registerRename(bookmark);
  registerEdit(bookmark);
  registerRemove(bookmark);
}

function registerAdd(bookmark: Command): void {
  bookmark
    .command('add <name> <lat> [lon]')
    .summary('add a bookmark')
    .description('Adds a bookmark at a position in decimal degrees (WGS84).')
    .option('-t, --tag <tag>', 'tag it; may be given several times', collect)
    .option('-d, --desc <text>', 'a short note')
    .option('--ele <metres>', 'elevation')
    .option('--time <time>', 'when, such as 2024-06-01T12:00:00Z; now when left out')
    .option('--json', 'print the bookmark as JSON')
    .addHelpText(
      'after',
      `
Examples:
  waypointd bookmark add "Camp" 42.1 -8.3 --tag home --tag "by the river"
  waypointd bookmark add "Camp" 42.1,-8.3
  waypointd bookmark add "Camp" 42.1N 8.3W`,
    )
    .action(
      async (
        name: string,
        lat: string,
        lon: string | undefined,
        options: AddOptions,
        command: Command,
      ) => {
        const { tag: tags, desc, time } = options;
        const body = {
          name: checkName(name),
          ...parsePosition(lat, lon),
          desc,
          ele: checkElevation(options.ele),
          time: checkTime(time),
          tags,
        };
        const saved = await withDaemon(
          commandContext(command),
          (client) =>
            client.ask(waypointSchema, 'POST', '/api/bookmarks', { body, query: { emoji: true } }),
          { makesData: true },
        );
        if (options.json === true) return printJson(saved);
        const tagged = saved.tags === undefined ? '' : `, tagged ${tagList(saved.tags)}`;
        await print(forTerminal(`Added "${saved.name}" at ${where(saved)}${tagged}.`));
      },
    );
}

function registerRename(bookmark: Command): void {
  bookmark
    .command('rename <name> <new-name>')
    .summary('give a bookmark another name')
    .description('Gives a bookmark another name. Its tags stay with it.')
    .option('--at <lat,lon>', atHelp)
    .option('--json', 'print the answer as JSON')
    .action(async (name: string, newName: string, options: AtOptions, command: Command) => {
      const answer = await change(command, name, options, { newName: checkName(newName) });
      if (options.json === true) return printJson(answer);
      await print(forTerminal(`Renamed "${answer.oldName}" to "${answer.newName}".`));
    });
}

function registerEdit(bookmark: Command): void {
  bookmark
    .command('edit <name>')
    .summary('change a bookmark')
    .description('Changes a bookmark. An empty --desc, --ele or --time removes the old value.')
    .option('--at <lat,lon>', atHelp)
    .option('--name <name>', 'another name')
    .option('--to <lat,lon>', 'another position')
    .option('-d, --desc <text>', 'another note')
    .option('--ele <metres>', 'another elevation')
    .option('--time <time>', 'another time, such as 2024-06-01T12:00:00Z')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Examples:
  waypointd bookmark edit "Camp" --desc "water at the bridge"
  waypointd bookmark edit "Camp" --to 42.12,-8.31 --ele ""`,
    )
    .action(async (name: string, options: EditOptions, command: Command) => {
      const changes = editChanges(options);
      if (Object.values(changes).every((value) => value === undefined)) {
        throw usageError('Say what to change: --name, --to, --desc, --ele or --time.');
      }
      const answer = await change(command, name, options, changes);
      if (options.json === true) return printJson(answer);
      await print(forTerminal(`Changed "${answer.newName}" at ${where(answer)}.`));
    });
}

function editChanges({ name, to, desc, ele, time }: EditOptions) {
  const position = to === undefined ? undefined : parsePosition(to);
  return {
    newName: name === undefined ? undefined : checkName(name),
    newLat: position?.lat,
    newLon: position?.lon,
    // The API clears a field with null.
    desc: desc === '' ? null : desc,
    ele: ele === '' ? null : checkElevation(ele),
    time: time === '' ? null : checkTime(time),
  };
}

async function change(
  command: Command,
  name: string,
  { at }: AtOptions,
  changes: Readonly<Record<string, unknown>>,
) {
  return withDaemon(commandContext(command), async (client) => {
    const { name: oldName, lat, lon } = await findPlace(client, name, { at, bookmarksOnly: true });
    const body = { oldName, lat, lon, ...changes };
    return client.ask(renamedSchema, 'PATCH', '/api/bookmarks', { body });
  });
}

function registerRemove(bookmark: Command): void {
  bookmark
    .command('rm <name>')
    .alias('remove')
    .summary('remove a bookmark')
    .description(
      'Removes a bookmark and its tags. An imported waypoint of the same name and place shows again.',
    )
    .option('--at <lat,lon>', atHelp)
    .option('--json', 'print the answer as JSON')
    .action(async (name: string, options: AtOptions, command: Command) => {
      const answer = await withDaemon(commandContext(command), async (client) => {
        const place = await findPlace(client, name, { at: options.at, bookmarksOnly: true });
        const query = { name: place.name, lat: place.lat, lon: place.lon };
        return client.ask(deletedBookmarkSchema, 'DELETE', '/api/bookmarks', { query });
      });
      if (options.json === true) return printJson(answer);
      await print(forTerminal(`Removed "${answer.name}" at ${where(answer)}.`));
    });
}

function where({ lat, lon }: { readonly lat: number; readonly lon: number }): string {
  return `${degrees(lat)}, ${degrees(lon)}`;
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
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

function checkTime(text: string | undefined): string | undefined {
  if (text === undefined || parseTime(text.trim()) !== undefined) return text;
  throw usageError('--time is a date with a time, such as --time 2024-06-01T12:00:00Z.');
}
