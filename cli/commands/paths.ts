import type { Command } from 'commander';
import type { Paths } from '../../daemon/paths.ts';
import { commandContext } from '../program/context.ts';
import { print, printJson } from '../terminal/output.ts';

/** `waypointd paths` */
export function registerPaths(program: Command): void {
  program
    .command('paths')
    .summary('print where everything is kept')
    .description('Prints where waypointd keeps everything with the settings as they are now.')
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }, command: Command) => {
      const { paths, resolved } = commandContext(command);
      const shown = describe(paths, resolved.settings.log_file);
      if (options.json === true) {
        return printJson(Object.fromEntries(shown.map(({ key, path }) => [key, path])));
      }
      for (const { label, path } of shown) await print(`${label.padEnd(17)} ${path ?? '(none)'}`);
    });
}

interface ShownPath {
  readonly key: string;
  readonly label: string;
  readonly path: string | undefined;
}

function describe(paths: Paths, logFile: string | undefined): ShownPath[] {
  return [
    { key: 'data_dir', label: 'data', path: paths.data },
    { key: 'bookmarks_file', label: 'bookmarks file', path: paths.bookmarksFile },
    { key: 'imports', label: 'imported files', path: paths.imports },
    { key: 'backups', label: 'backups', path: paths.backups },
    { key: 'cache_dir', label: 'cache', path: paths.cache },
    { key: 'config_file', label: 'configuration', path: paths.configFile },
    { key: 'runtime_dir', label: 'hand-over file in', path: paths.runtime },
    { key: 'log_file', label: 'log file', path: logFile },
  ];
}
