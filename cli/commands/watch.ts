import { stat } from 'node:fs/promises';
import { failureSentences } from '../../client/waypoints/import-words.ts';
import { absolutePath } from '../../client/waypoints/node/places.ts';
import { changeConfigFile } from '../../daemon/settings.ts';
import { ExitError } from '../../model/exit-error.ts';
import { limits } from '../../model/limits.ts';
import type { WatchedFolderStatus } from '../../model/status.ts';
import { defineCommand } from '../program/command.ts';
import { findDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { isWithin } from '../terminal/access.ts';
import { note } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { counted, forTerminal } from '../terminal/text.ts';
import { noteOverride } from './config.ts';

const atOnce = 'A running daemon follows it at once.';

const add = defineCommand({
  name: 'add',
  summary: 'watch a folder from now on',
  description: `Adds a folder to the setting watch_dirs. ${atOnce}`,
  arguments: '<folder>',
  examples: ['watch add ~/Sync/tracks'],
  async *run({ context, words: [folder] }) {
    const dir = absolutePath(folder, process.cwd());
    const dirs = context.resolved.settings.watch_dirs;
    await checkFolder(dir, context);
    if (dirs.includes(dir)) throw new ExitError(`${forTerminal(dir)} is watched already.`);
    const near = dirs.find((other) => isWithin(dir, other) || isWithin(other, dir));
    if (near !== undefined) {
      throw new ExitError(
        `${forTerminal(near)} is watched, with all its sub-folders; one cannot be in the other.`,
      );
    }
    if (dirs.length === limits.watchedFolders)
      throw new ExitError(`No more than ${limits.watchedFolders} folders can be watched.`);
    await changeConfigFile(context.paths.configFile, 'watch_dirs', [...dirs, dir]);
    yield `${dir} is watched. ${atOnce}`;
    noteOverride('watch_dirs', context);
  },
});

const rm = defineCommand({
  name: 'rm',
  summary: 'watch a folder no longer',
  description:
    'Takes a folder out of the setting watch_dirs. What was imported from it stays. A running daemon leaves it alone at once.',
  arguments: '<folder>',
  async *run({ context, words: [folder] }) {
    const dir = absolutePath(folder, process.cwd());
    const dirs = context.resolved.settings.watch_dirs;
    const others = dirs.filter((other) => other !== dir);
    if (others.length === dirs.length) throw new ExitError(`${forTerminal(dir)} is not watched.`);
    const value = others.length > 0 ? others : undefined;
    await changeConfigFile(context.paths.configFile, 'watch_dirs', value);
    yield `${dir} is no longer watched; what was imported from it stays.`;
    noteOverride('watch_dirs', context);
  },
});

/** A folder as it stands in the settings, with what the daemon says of it. */
type Listed = { readonly dir: string } & (
  | WatchedFolderStatus
  | { readonly state: 'not followed yet' }
);

const list = defineCommand({
  name: 'list',
  summary: 'list the watched folders',
  description: 'Lists the watched folders, with what has come of each since the daemon started.',
  async run({ context }): Promise<Listed[]> {
    const daemon = await findDaemon(context);
    const followed = (await daemon?.client.getStatus())?.watch ?? [];
    const dirs = context.resolved.settings.watch_dirs;
    const all = new Set([...dirs, ...followed.map(({ dir }) => dir)]);
    return [...all].map(
      (dir) =>
        followed.find((one) => one.dir === dir) ?? { dir, state: 'not followed yet' as const },
    );
  },
  async *show(folders) {
    yield* tableLines(
      [
        { title: 'STATE', text: ({ state }: Listed) => state },
        { title: 'FILES', align: 'right', text: (one) => numberOf(one, 'files') },
        { title: 'WAITING', align: 'right', text: (one) => numberOf(one, 'waiting') },
        { title: 'IMPORTED', align: 'right', text: (one) => numberOf(one, 'imported') },
        { title: 'REFUSED', align: 'right', text: (one) => numberOf(one, 'failed') },
        { title: 'FOLDER', canShrink: true, text: ({ dir }) => dir },
      ],
      folders,
      'No folder is watched.',
    );
    for (const folder of folders) if ('files' in folder) noteUnread(folder);
  },
});

export const command = defineCommand({
  name: 'watch',
  summary: 'import what comes into a folder by itself',
  description:
    'Watched folders are imported by themselves, with their sub-folders: a file is taken in when it has not changed for five seconds, and again after each change. A folder that is not there is waited for.',
  commands: [add, list, rm],
});

async function checkFolder(dir: string, { paths }: CommandContext): Promise<void> {
  if (isWithin(dir, paths.data))
    throw new ExitError('That is the data directory, or in it; what is there is imported already.');
  const stats = await stat(dir).catch(() => undefined);
  if (stats?.isDirectory() !== true)
    throw new ExitError(`${forTerminal(dir)} is not a folder that can be opened.`);
}

function numberOf(folder: Listed, key: 'files' | 'waiting' | 'imported' | 'failed'): string {
  return 'files' in folder ? folder[key].toLocaleString('en-US') : '';
}

function noteUnread({ dir, failed, failures, full }: WatchedFolderStatus): void {
  if (full === true)
    note(
      `${forTerminal(dir)} has more than ${limits.watchedFiles.toLocaleString('en-US')} files; those beyond are not seen.`,
    );
  if (failed === 0) return;
  note(`${counted(failed, 'file')} of ${forTerminal(dir)} refused, until changed:`);
  for (const { file, reason } of failures)
    note(`  ${forTerminal(file)}: ${failureSentences[reason]}`);
  if (failed > failures.length) note(`  … and ${failed - failures.length} more`);
}
