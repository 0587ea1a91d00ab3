import { defineCommand } from '../program/command.ts';
import { print } from '../terminal/output.ts';

/** What a person calls each path. */
const labels = [
  ['data_dir', 'data'],
  ['bookmarks_file', 'bookmarks file'],
  ['imports', 'imported files'],
  ['backups', 'backups'],
  ['cache_dir', 'cache'],
  ['config_file', 'configuration'],
  ['runtime_dir', 'hand-over file in'],
  ['log_file', 'log file'],
] as const;

/** `waypointd paths` */
export const command = defineCommand({
  name: 'paths',
  summary: 'print where everything is kept',
  description: 'Prints where waypointd keeps everything with the settings as they are now.',
  options: { '--json': 'print JSON' },
  run({ context: { paths, resolved } }): Record<(typeof labels)[number][0], string | undefined> {
    return {
      data_dir: paths.data,
      bookmarks_file: paths.bookmarksFile,
      imports: paths.imports,
      backups: paths.backups,
      cache_dir: paths.cache,
      config_file: paths.configFile,
      runtime_dir: paths.runtime,
      log_file: resolved.settings.log_file,
    };
  },
  async show(shown) {
    for (const [key, label] of labels) {
      await print(`${label.padEnd(17)} ${shown[key] ?? '(none)'}`);
    }
  },
});
