import type { Command } from 'commander';
import { join } from 'node:path';
import { packageRoot } from '../../../daemon/version-info.ts';
import { shellWord } from '../../terminal/invocation.ts';
import { print } from '../../terminal/output.ts';
import { objectsContext } from './objects-context.ts';
import { checkUserName } from './with-root.ts';

/** `waypointd objects ssh-line USER` */
export function registerSshLine(objects: Command): void {
  objects
    .command('ssh-line <user>')
    .summary('print the line that lets an ssh key log in')
    .description(
      'Prints what to put before a public key in ~/.ssh/authorized_keys, so that its owner logs in to the object server as this user and can do nothing else here.',
    )
    .option('--root <dir>', 'the directory of the store, as --objects-root')
    .action(async (user: string, options: { root?: string }, command: Command) => {
      const { paths } = objectsContext(command, options);
      const program = join(packageRoot(), 'bin', 'x-lfs-authenticate.js');
      const words = [
        process.execPath,
        program,
        '--root',
        paths.objects,
        '--user',
        checkUserName(user),
      ];
      const quoted = words.map(shellWord).join(' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
      await print(`command="${quoted}",restrict`);
    });
}
