import type { Command } from 'commander';
import { limits } from '../../../model/limits.ts';
import { createNotifier, takeNotifyRequest } from '../../../daemon/systemd/notifier.ts';
import { objectFlagsHelp } from '../../program/context.ts';
import { endBySignal, watchSignals } from '../../terminal/interrupts.ts';
import { print } from '../../terminal/output.ts';
import { objectsContext, type ShortFlags } from './objects-context.ts';

/** `waypointd objects serve` */
export function registerServeObjects(objects: Command): void {
  objects
    .command('serve')
    .summary('run the object server in this terminal')
    .description(
      'Runs the object server in the foreground until Ctrl-C or SIGTERM. It keeps large files by their SHA-256 for git-lfs and for "waypointd objects push". To run it beside the daemon, set objects to true.',
    )
    .option('--listen <host:port>', 'as --objects-listen')
    .option('--root <dir>', 'as --objects-root')
    .option('--public-url <url>', 'as --objects-public-url')
    .option('--tls-cert <file>', 'as --objects-tls-cert')
    .option('--tls-key <file>', 'as --objects-tls-key')
    .option('--insecure-http', 'as --objects-insecure-http')
    .option('--no-batch', 'as --objects-batch=false')
    .addHelpText('after', () => `\n${objectFlagsHelp()}`)
    .action(async (options: ShortFlags, command: Command) => {
      await serveObjects(options, command);
    });
}

async function serveObjects(options: ShortFlags, command: Command): Promise<void> {
  // Before any child or worker starts, which would inherit its variables.
  const notifyRequest = takeNotifyRequest(process.env);
  const { settings, paths } = objectsContext(command, options);
  const asked = Promise.withResolvers<void>();
  const stopWatching = watchSignals((signal, isFirst) => {
    if (!isFirst) endBySignal(signal);
    asked.resolve();
  });
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
    await asked.promise;
    await Promise.all([notifier?.stopping(), server.close(limits.shutdownMs)]);
  } finally {
    await log.close();
    stopWatching();
  }
}
