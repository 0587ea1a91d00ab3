import type { Command } from 'commander';
import { programInfo } from '../../daemon/version-info.ts';
import { print, printJson } from '../terminal/output.ts';

/** `waypointd version` */
export function registerVersion(program: Command): void {
  program
    .command('version')
    .summary('print what this program is')
    .description('Prints this program\'s version; "waypointd status" prints the running daemon\'s.')
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const info = await programInfo();
      if (options.json === true) return printJson(info);
      const { module, build, runtime, platform } = info;
      const commit =
        build?.commit_short === undefined
          ? ''
          : ` (commit ${build.commit_short}${build.dirty === true ? ', changed since' : ''})`;
      await print(`waypointd ${module.version}${commit}`);
      await print(
        `Node.js ${runtime.version}, ${platform.os} ${platform.arch} ${platform.release}`,
      );
    });
}
