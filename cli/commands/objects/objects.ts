import { join } from 'node:path';
import { defaultConfigFile } from '../../../daemon/paths.ts';
import { createNotifier, takeNotifyRequest } from '../../../daemon/systemd/notifier.ts';
import { packageRoot } from '../../../daemon/version-info.ts';
import { limits } from '../../../model/limits.ts';
import { systemClock } from '../../../model/process.ts';
import { defineCommand } from '../../program/command.ts';
import { objectFlagsHelp } from '../../program/context.ts';
import { endInAnyCase, watchForEnd } from '../../terminal/interrupts.ts';
import { shellWord } from '../../terminal/invocation.ts';
import { print } from '../../terminal/output.ts';
import { holdingsCommands } from './holdings.ts';
import { locks } from './locks.ts';
import { migrate } from './migrate.ts';
import { repo } from './repo.ts';
import { transferCommands } from './transfer.ts';
import { upkeepCommands } from './upkeep.ts';
import { accessCommands, user } from './user.ts';
import {
  objectsContext,
  requireUser,
  rootOptions,
  withRoot,
  type ObjectsContext,
} from './with-root.ts';

const serve = defineCommand({
  name: 'serve',
  group: 'The server:',
  summary: 'run the object server in this terminal',
  description:
    'Runs the object server in the foreground until Ctrl-C or SIGTERM. It keeps large files by their SHA-256 for git-lfs and for "waypointd objects push". To run it beside the daemon, set objects to true.',
  options: {
    '--listen <host:port>': 'as --objects-listen',
    '--root <dir>': 'as --objects-root',
    '--public-url <url>': 'as --objects-public-url',
    '--tls-cert <file>': 'as --objects-tls-cert',
    '--tls-key <file>': 'as --objects-tls-key',
    '--insecure-http': 'as --objects-insecure-http',
    '--no-batch': 'as --objects-batch=false',
  },
  notes: objectFlagsHelp,
  run: ({ context, options }) => serveObjects(objectsContext(context, options)),
});

async function serveObjects({ settings, paths }: ObjectsContext): Promise<void> {
  // Before any child or worker starts, which would inherit its variables.
  const notifyRequest = takeNotifyRequest(process.env);
  using end = watchForEnd();
  const [{ startObjects }, { openLog }] = await Promise.all([
    import('../../../daemon/objects/start.ts'),
    import('../../../daemon/log.ts'),
  ]);
  const log = await openLog({ level: settings.log_level, file: settings.log_file });
  const notifier = notifyRequest && createNotifier(notifyRequest, log);
  try {
    const server = await startObjects({ settings, paths, log, clock: systemClock });
    await notifier?.ready(`Serving ${server.url}`);
    await print(server.url);
    await end.asked;
    endInAnyCase(log);
    await Promise.all([notifier?.stopping(), server.close(limits.shutdownMs)]);
  } finally {
    await log.close();
  }
}

const sshLine = defineCommand({
  name: 'ssh-line',
  summary: 'print the line that lets an ssh key log in',
  description:
    'Prints what to put before a public key in ~/.ssh/authorized_keys, so that its owner logs in to the object server as this user and can do nothing else here.',
  arguments: '<user>',
  options: { '--root <dir>': rootOptions['--root <dir>'] },
  async run(call) {
    const { name } = await withRoot(call, (root) => requireUser(root, call.words[0]));
    const { paths } = objectsContext(call.context, call.options);
    const program = join(packageRoot(), 'bin', 'x-lfs-authenticate.js');
    const words = [process.execPath, program, '--root', paths.objects];
    if (paths.configFile !== defaultConfigFile()) words.push('--config', paths.configFile);
    const line = [...words, '--user', name].map(shellWord).join(' ');
    const quoted = line.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
    return print(`command="${quoted}",restrict`);
  },
});

export const command = defineCommand({
  name: 'objects',
  summary: 'keep large files by their hash: server, client, upkeep',
  description: 'The object store: a server for large files by their SHA-256, and its upkeep.',
  commands: [
    ...transferCommands,
    serve,
    user,
    repo,
    ...accessCommands,
    locks,
    sshLine,
    ...holdingsCommands,
    ...upkeepCommands,
    migrate,
  ],
});
