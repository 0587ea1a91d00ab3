import { limits } from '../../../model/limits.ts';
import { createNotifier, takeNotifyRequest } from '../../../daemon/systemd/notifier.ts';
import { defineCommand } from '../../program/command.ts';
import { objectFlagsHelp } from '../../program/context.ts';
import { watchForEnd } from '../../terminal/interrupts.ts';
import { print } from '../../terminal/output.ts';
import { objectsContext, type ObjectsContext } from './objects-context.ts';

/** `waypointd objects serve` */
export const serve = defineCommand({
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
  run({ context, options }) {
    // Before any child or worker starts, which would inherit its variables.
    const notifyRequest = takeNotifyRequest(process.env);
    return serveObjects(objectsContext(context, options), notifyRequest);
  },
});

async function serveObjects(
  { settings, paths }: ObjectsContext,
  notifyRequest: ReturnType<typeof takeNotifyRequest>,
): Promise<void> {
  const { asked, stopWatching } = watchForEnd();
  const [{ startObjects }, { openLog }] = await Promise.all([
    import('../../../daemon/objects/start.ts'),
    import('../../../daemon/log.ts'),
  ]);
  const log = await openLog({ level: settings.log_level, file: settings.log_file });
  const notifier = notifyRequest && createNotifier(notifyRequest, log);
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  try {
    const server = await startObjects({ settings, paths, log, clock });
    await notifier?.ready(`Serving ${server.url}`);
    await print(server.url);
    await asked;
    await Promise.all([notifier?.stopping(), server.close(limits.shutdownMs)]);
  } finally {
    await log.close();
    stopWatching();
  }
}
