import { join } from 'node:path';
import { packageRoot } from '../../../daemon/version-info.ts';
import { defineCommand } from '../../program/command.ts';
import { shellWord } from '../../terminal/invocation.ts';
import { print } from '../../terminal/output.ts';
import { objectsContext } from './objects-context.ts';
import { checkUserName, rootOptions } from './with-root.ts';

/** `waypointd objects ssh-line USER` */
export const sshLine = defineCommand({
  name: 'ssh-line',
  summary: 'print the line that lets an ssh key log in',
  description:
    'Prints what to put before a public key in ~/.ssh/authorized_keys, so that its owner logs in to the object server as this user and can do nothing else here.',
  arguments: '<user>',
  options: { '--root <dir>': rootOptions['--root <dir>'] },
  run({ context, options, words: [user] }) {
    const { paths } = objectsContext(context, options);
    const program = join(packageRoot(), 'bin', 'x-lfs-authenticate.js');
    const words = [process.execPath, program, '--root', paths.objects];
    const line = [...words, '--user', checkUserName(user)].map(shellWord).join(' ');
    const quoted = line.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
    return print(`command="${quoted}",restrict`);
  },
});
