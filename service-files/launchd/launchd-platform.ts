import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandLine, Runner } from '../command-line.ts';
import type {
  ServiceChoice,
  ServiceExit,
  ServicePlatform,
  ServiceState,
  ServiceHost,
} from '../service-platform.ts';
import { launchdLabel, renderLaunchAgent } from './agent-plist.ts';

/** launchd ends a service in its own time, and refuses it a second time before that. */
const bootstrapTries = 10;

/**
 * The LaunchAgent of this user.
 * @throws ExitError for a service of the machine: a LaunchDaemon would run as root.
 */
export function launchdPlatform(host: ServiceHost, choice: ServiceChoice): ServicePlatform {
  if (choice.isSystem) {
    throw new ExitError(
      'On macOS waypointd is a service of a user only: leave out --system. It starts when you log in.',
      64,
    );
  }
  const label = launchdLabel(choice.name);
  const domain = `gui/${host.uid}`;
  const target = `${domain}/${label}`;
  const library = posix.join(host.home, 'Library');
  const plist = posix.join(library, 'LaunchAgents', `${label}.plist`);
  const logFile = posix.join(library, 'Logs', 'waypointd', `${choice.name}.log`);
  const enable = launchctl(['enable', target]);
  const bootstrap = launchctl(['bootstrap', domain, plist], { tries: bootstrapTries });
  const bootout = launchctl(['bootout', target], { mayFail: true });
  const startLoaded = [{ ...bootstrap, tries: 1, mayFail: true }, launchctl(['kickstart', target])];
  return {
    host,
    choice,
    title: `your LaunchAgent ${label}`,
    ownFiles: [plist],
    ownDirectories: [],
    plan: (spec) => ({
      directories: [...spec.writable, posix.dirname(logFile)],
      files: [{ path: plist, text: renderLaunchAgent({ ...spec, logFile }) }],
      beforeChange: [bootout],
      // RunAtLoad starts it; one that is loaded already is started if it does not run.
      activate: (isChanged) => [enable, ...(isChanged ? [bootstrap] : startLoaded)],
      remarks: [
        'macOS asks once whether Node.js may read Documents, Desktop or Downloads when you import from there.',
      ],
    }),
    start: startLoaded,
    // Only unloading it ends the tries of one that cannot start. It is loaded again at the next login.
    stop: [launchctl(['bootout', target])],
    restart: [bootout, bootstrap],
    uninstall: { beforeFiles: [bootout], afterFiles: [] },
    logs: (lines, follow) => ({
      program: 'tail',
      words: ['-n', String(lines), ...(follow ? ['-F'] : []), logFile],
    }),
    readState: () => readLaunchdState(host.run, target, existsSync(plist)),
  };
}

function launchctl(words: readonly string[], options: Partial<CommandLine> = {}): CommandLine {
  return { program: 'launchctl', words, ...options };
}

/** Reads what `launchctl print` says; a service that is not loaded is not known to it. */
async function readLaunchdState(
  run: Runner,
  target: string,
  isInstalled: boolean,
): Promise<ServiceState> {
  const { code, stdout } = await run(launchctl(['print', target]));
  // The next login loads and starts everything in LaunchAgents.
  const common = { isInstalled, isEnabled: isInstalled };
  if (code !== 0) return { ...common, condition: 'stopped' };
  const pid = numberIn(stdout, /^\s*pid = (\d+)$/mu);
  const runs = numberIn(stdout, /^\s*runs = (\d+)$/mu);
  const lastExit = exitIn(stdout);
  const hasFailed = lastExit !== undefined && lastExit.code !== 0;
  return {
    ...common,
    condition: pid !== undefined ? 'running' : hasFailed ? 'failed' : 'stopped',
    pid,
    restarts: runs === undefined ? undefined : Math.max(0, runs - 1),
    lastExit,
  };
}

/** A process that has never ended has `(never exited)` there. */
function exitIn(printed: string): ServiceExit | undefined {
  const signal = numberIn(printed, /^\s*last terminating signal = .*?(\d+)$/mu);
  if (signal !== undefined) return { signal };
  const code = numberIn(printed, /^\s*last exit code = (\d+)/mu);
  return code === undefined ? undefined : { code };
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
