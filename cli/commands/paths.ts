import { defineCommand } from '../program/command.ts';
import type { CommandContext } from '../program/context.ts';
import { labelledLines } from '../terminal/table.ts';

/** Each path, and what a person calls it. */
const rows: readonly (readonly [key: string, label: string, path: PathOf])[] = [
  ['data_dir', 'data', ({ paths }) => paths.data],
  ['bookmarks_file', 'bookmarks file', ({ paths }) => paths.bookmarksFile],
  ['imports', 'imported files', ({ paths }) => paths.imports],
  ['backups', 'backups', ({ paths }) => paths.backups],
  ['cache_dir', 'cache', ({ paths }) => paths.cache],
  ['config_file', 'configuration', ({ paths }) => paths.configFile],
  ['runtime_dir', 'hand-over file in', ({ paths }) => paths.runtime],
  ['log_file', 'log file', ({ resolved }) => resolved.settings.log_file],
];

type PathOf = (context: CommandContext) => string | undefined;

export const command = defineCommand({
  name: 'paths',
  summary: 'print where everything is kept',
  description: 'Prints where waypointd keeps everything with the settings as they are now.',
  run: ({ context }) => Object.fromEntries(rows.map(([key, , path]) => [key, path(context)])),
  show: (shown) =>
    labelledLines(
      rows.map(([key, label]) => [label, shown[key] ?? '(none)']),
      17,
    ),
});
