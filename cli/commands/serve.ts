import { unwatchFile, watchFile } from 'node:fs';
import { describeError } from '../../model/error-description.ts';
import type { Log } from '../../model/process.ts';
import {
  isStartedByLaunchd,
  launchdPauseS,
  shortenLaunchdLog,
} from '../../service-files/launchd/agent-plist.ts';
import type { Daemon } from '../../daemon/daemon.ts';
import { ExitError } from '../../model/exit-error.ts';
import {
  explainSocketRefusal,
  takeInheritedSocket,
} from '../../daemon/systemd/inherited-socket.ts';
import { createNotifier, takeNotifyRequest } from '../../daemon/systemd/notifier.ts';
import { programVersion } from '../../daemon/version-info.ts';
import { defineCommand } from '../program/command.ts';
import {
  configFileOf,
  contextOf,
  settingFlagsHelp,
  type CommandContext,
  type GivenFlags,
} from '../program/context.ts';
import { manifestOption } from '../program/geodata-manifest.ts';
import { endInAnyCase, watchForEnd } from '../terminal/interrupts.ts';
import { invocation, shellWord } from '../terminal/invocation.ts';
import { print } from '../terminal/output.ts';

export const command = defineCommand({
  name: 'serve',
  summary: 'run the daemon in this terminal',
  description:
    'Runs the daemon in the foreground until Ctrl-C or SIGTERM. It listens on 127.0.0.1 only.',
  options: {
    '--new-store': 'begin an empty waypoints.sqlite although the old one is missing',
  },
  notes: () => `${settingFlagsHelp()}

Exit codes: 0 stopped in order, 64 wrong usage, 65 the data is from a newer waypointd, 74 the data
cannot be read, 75 already running or port taken, 78 wrong configuration.`,
  run: ({ context, given, options }) => serve(context, given, options.newStore),
});

async function serve(context: CommandContext, given: GivenFlags, newStore: boolean): Promise<void> {
  // Before any child or worker starts, which would inherit their variables.
  const notifyRequest = takeNotifyRequest(process.env);
  const socket = takeInheritedSocket(process.env);
  if (isStartedByLaunchd(process.env)) shortenLaunchdLog();
  // Listened to from the start: a signal during a long migration must end the daemon in order, too.
  using end = watchForEnd();
  const [{ startDaemon }, { openLog }] = await Promise.all([
    import('../../daemon/daemon.ts'),
    import('../../daemon/log.ts'),
  ]);
  const { settings } = context.resolved;
  const log = await openLog({ level: settings.log_level, file: settings.log_file });
  endOnCrash(log);
  const notifier = notifyRequest && createNotifier(notifyRequest, log);
  try {
    const daemon = await startDaemon({
      settings,
      paths: context.paths,
      log,
      handOver: true,
      newStore,
      signal: end.signal,
      ...(await manifestOption(context)),
      ...(socket === undefined ? {} : { socket }),
    });
    if (daemon.port !== settings.port && socket !== undefined) {
      // The socket unit was written before the setting was changed: the service has to be installed again.
      log.warn('daemon.port_of_socket_unit', { port: daemon.port, configured: settings.port });
    }
    using _config = followConfig(given, daemon, log);
    await notifier?.ready(`Serving ${daemon.url}`);
    if (process.stdout.isTTY) await print(banner(daemon, context));
    await Promise.race([end.asked, daemon.closed]);
    endInAnyCase(log);
    await Promise.all([notifier?.stopping(), daemon.close()]);
  } catch (error) {
    if (error === end.signal.reason) return;
    logRefusal(error, log, settings.log_file);
    throw socket === undefined ? error : explainSocketRefusal(error);
  } finally {
    await log.close();
  }
}

const configLookMs = 1_000;

/** Has a daemon watch the folders of `watch_dirs` as commands and editors change it; other settings wait for a start. */
function followConfig(given: GivenFlags, daemon: Daemon, log: Log): Disposable {
  const file = configFileOf(given);
  const follow = (): void => {
    try {
      daemon.watch(contextOf(given).resolved.settings.watch_dirs);
    } catch {
      // Until it can be read again: an editor may be writing it.
      log.warn('config.not_read');
    }
  };
  // Its own look each second: no system tells of changes on every file system.
  watchFile(file, { interval: configLookMs, persistent: false }, follow);
  // It may have changed since it was read.
  follow();
  return { [Symbol.dispose]: () => unwatchFile(file, follow) };
}

/**
 * The sentence goes to stderr, which a task of Windows does not show. And launchd, which cannot be told that an exit
 * code is final, starts the daemon again: its log says so.
 */
function logRefusal(error: unknown, log: Log, logFile: string | undefined): void {
  if (!(error instanceof ExitError)) return;
  const { exitCode: exit_code } = error;
  if (isStartedByLaunchd(process.env)) {
    log.warn('daemon.start_refused', { exit_code, next_try_s: launchdPauseS });
  } else if (logFile !== undefined) {
    log.error('daemon.start_refused', { exit_code });
  }
}

/**
 * Node.js would print the error's message, which may hold a path or a name; the log gets what it was and where. Nothing
 * is tidied up: the state is unknown, and the stores survive a sudden end.
 */
function endOnCrash(log: Log): void {
  process.on('uncaughtException', (error: unknown) => {
    log.error('daemon.crashed', describeError(error));
    process.exit(1);
  });
}

function banner({ url, objectsUrl }: Daemon, context: CommandContext): string {
  const program = `${invocation()}${flagsToFind(context)}`;
  const call =
    process.platform === 'win32'
      ? `${program} api /api/version`
      : `${program} token --header | curl -H @- ${url}/api/version`;
  return `
waypointd ${programVersion()} is running on ${url}${objectsUrl === undefined ? '' : `\nand its object server on ${objectsUrl}`}

  its token   ${program} token
  try         ${program} status
              ${call}

Type these in another terminal; Ctrl-C in this one stops the daemon.
`;
}

/** The flags with which a command in another terminal finds this daemon. */
function flagsToFind({ resolved, paths, given }: CommandContext): string {
  const chosen: [string, string | undefined][] = [
    ['--config', given.config === undefined ? undefined : paths.configFile],
    ['--data-dir', isForThisCall('data_dir') ? paths.data : undefined],
    ['--runtime-dir', isForThisCall('runtime_dir') ? paths.runtime : undefined],
  ];
  function isForThisCall(key: 'data_dir' | 'runtime_dir'): boolean {
    return resolved.sources[key] === 'flag' || resolved.sources[key] === 'environment';
  }
  return chosen
    .map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${shellWord(value)}`))
    .join('');
}
