import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { renderLaunchAgent } from '../../service-files/launchd/agent-plist.ts';
import { launchdLabel } from '../../service-files/service-program.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandLine, Runner } from './command-line.ts';
import type { ServiceHost } from './service-host.ts';
import {
  serviceTitles,
  type ServiceChoice,
  type ServiceExit,
  type ServicePlatform,
  type ServiceState,
} from './service-platform.ts';

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
  const { name } = choice;
  const label = launchdLabel(name);
  const domain = `gui/${host.uid}`;
  const target = `${domain}/${label}`;
  const plist = posix.join(host.home, 'Library', 'LaunchAgents', `${label}.plist`);
  const logFile = posix.join(host.home, 'Library', 'Logs', 'waypointd', `${name}.log`);
  const enable = launchctl(['enable', target]);
  const bootstrap = launchctl(['bootstrap', domain, plist], { tries: bootstrapTries });
  const bootout = launchctl(['bootout', target], { mayFail: true });
  return {
    choice,
    title: `your LaunchAgent ${label}`,
    ownFiles: [plist],
    ownDirectories: [],
    plan: (wish) => ({
      directories: [...wish.writable, posix.dirname(logFile)],
      files: [
        {
          path: plist,
          text: renderLaunchAgent({
            name,
            title: serviceTitles[name],
            node: wish.node,
            words: [wish.launcher, ...wish.words],
            logFile,
          }),
        },
      ],
      beforeChange: [bootout],
      // RunAtLoad starts it; one that is loaded already is started if it does not run.
      activate: (isChanged) =>
        isChanged ? [enable, bootstrap] : [enable, ...startLoaded(bootstrap, target)],
      remarks: [
        'macOS asks once whether Node.js may read Documents, Desktop or Downloads when you import from there.',
      ],
    }),
    start: startLoaded(bootstrap, target),
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

function startLoaded(bootstrap: CommandLine, target: string): CommandLine[] {
  return [{ ...bootstrap, tries: 1, mayFail: true }, launchctl(['kickstart', target])];
}

/** Reads what `launchctl print` says; a service that is not loaded is not known to it. */
async function readLaunchdState(
  run: Runner,
  target: string,
  isInstalled: boolean,
): Promise<ServiceState> {
  const { code, stdout } = await run(launchctl(['print', target]));
  // What is in LaunchAgents is loaded, and started, at the next login.
  const common = { isInstalled, isEnabled: isInstalled };
  if (code !== 0) return { ...common, condition: 'stopped' };
  const pid = numberIn(stdout, /^\s*pid = (\d+)$/mu);
  const runs = numberIn(stdout, /^\s*runs = (\d+)$/mu);
  const lastExit = exitIn(stdout);
  const hasFailed = lastExit !== undefined && lastExit.code !== 0;
  return {
    ...common,
    condition: pid !== undefined ? 'running' : hasFailed ? 'failed' : 'stopped',
    ...(pid === undefined ? {} : { pid }),
    ...(runs === undefined ? {} : { restarts: Math.max(0, runs - 1) }),
    ...(lastExit === undefined ? {} : { lastExit }),
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
