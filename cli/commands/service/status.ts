import { existsSync } from 'node:fs';
import { readHandOver } from '../../../client/waypoints/node/hand-over-file.ts';
import { ExitError } from '../../../model/exit-error.ts';
import type { CommandFailure, CommandLine } from '../../../service-files/command-line.ts';
import { installedFiles, type Step } from '../../../service-files/install.ts';
import { exitMeaning } from '../../../service-files/service-exit.ts';
import type {
  ServiceChoice,
  ServicePlatform,
  ServiceState,
  ServiceHost,
} from '../../../service-files/service-platform.ts';
import type { CommandContext } from '../../program/context.ts';
import { type PortUse, probePort } from '../../program/port-probe.ts';
import { invocation, shellWord } from '../../terminal/invocation.ts';
import { note } from '../../terminal/output.ts';
import { labelledLines } from '../../terminal/table.ts';
import { counted, duration, forTerminal } from '../../terminal/text.ts';

/** The result of `service status`, as `--json` prints it. */
type ServiceStatus = Awaited<ReturnType<typeof readServiceStatus>>;

/** Asks the service manager, and the port if that cannot start anything. */
export async function readServiceStatus(platform: ServicePlatform, context: CommandContext) {
  const { choice, title, logs } = platform;
  const state = await platform.readState();
  const { lastExit } = state;
  const hasPort = state.isInstalled && choice.name === 'waypointd';
  const held = state.condition === 'running' ? undefined : state.heldPort;
  const port = hasPort ? (held ?? (await portOf(state, context))) : undefined;
  return {
    service: choice.name,
    title,
    installed: state.isInstalled,
    enabled: state.isEnabled,
    state: state.condition,
    since: state.since,
    pid: state.pid,
    restarts: state.restarts,
    last_exit: lastExit && {
      code: lastExit.code,
      signal: lastExit.signal,
      meaning: exitMeaning(lastExit),
    },
    port,
    port_use: port === undefined ? undefined : port === held ? 'held' : await probePort(port),
    /** Whether it runs while its user is not logged in; only for a user's service of systemd. */
    linger: isOfUserSystemd(platform) ? lingers(platform.host) : undefined,
    files: installedFiles(platform),
    logs: commandText(logs(50, false)),
  } as const;
}

async function portOf(
  { port, pid }: ServiceState,
  { paths, resolved }: CommandContext,
): Promise<number | undefined> {
  if (port !== undefined) return port;
  for (const file of paths.handOverCandidates) {
    const reading = await readHandOver(file);
    if (reading.found === 'hand-over' && reading.handOver.pid === pid) return reading.handOver.port;
  }
  return resolved.settings.port === 0 ? undefined : resolved.settings.port;
}

function isOfUserSystemd({ host, choice }: ServicePlatform): boolean {
  return host.platform === 'linux' && !choice.isSystem;
}

/** logind keeps one file for each user whose services run without a login. */
function lingers({ user }: ServiceHost): boolean {
  return existsSync(`/var/lib/systemd/linger/${user}`);
}

/** Says when a service starts by itself: `with the machine`. */
export function startsWhen(platform: ServicePlatform): string {
  if (platform.choice.isSystem) return 'with the machine';
  if (!isOfUserSystemd(platform)) return 'when you log in';
  if (lingers(platform.host)) return 'with the machine, because your services linger';
  return 'when you log in, and stops when you log out (to have it run from boot on: loginctl enable-linger)';
}

/** The listener at the port; `held`: the service manager, which starts the service at the first request. */
const portTexts: Readonly<Record<PortUse | 'held', string>> = {
  waypointd: 'answers',
  other: 'another program is there, or it hangs',
  nothing: 'nothing listens',
  held: 'held by systemd, which starts the service at the first request',
};

export function* statusLines(status: ServiceStatus, platform: ServicePlatform): Generator<string> {
  const { choice } = platform;
  const { title, restarts, port, port_use: use } = status;
  if (!status.installed) return note(notInstalledSentence(platform));
  yield title;
  const rows: [string, string | undefined][] = [
    ['state', stateText(status)],
    ['restarts', restarts ? `${counted(restarts, 'time')} after a failure` : undefined],
    ['port', use && `${port}: ${portTexts[use]}`],
    [
      'starts',
      status.enabled
        ? startsWhen(platform)
        : `by hand only (change that: ${serviceCommand('install', choice)})`,
    ],
    ...status.files.map((file, at): [string, string] => [at === 0 ? 'files' : '', file]),
    ['log', serviceCommand('logs', choice)],
  ];
  yield* labelledLines(rows, 9);
}

function stateText({ state, since, pid, last_exit: exit }: ServiceStatus): string {
  if (state !== 'running') return exit === undefined ? state : `${state}: ${exitText(exit)}`;
  const age = since === undefined ? '' : ` for ${duration(Date.now() - Date.parse(since))}`;
  return `running${age}${pid === undefined ? '' : ` (process ${pid})`}`;
}

export function serviceCommand(verb: string, { name, isSystem }: ServiceChoice): string {
  const flags = `${isSystem ? ' --system' : ''}${name === 'waypointd' ? '' : ' --objects'}`;
  return `${invocation()} service ${verb}${flags}`;
}

export function notInstalledSentence({ title, choice }: ServicePlatform): string {
  return `waypointd is not installed as ${title}. Install it with: ${serviceCommand('install', choice)}`;
}

export function commandText({ program, words }: CommandLine): string {
  return [program, ...words].map(shellWord).join(' ');
}

export function* stepLines(steps: readonly Step[]): Generator<string> {
  for (const step of steps) {
    if ('make' in step) yield `make    ${step.make}`;
    else if ('remove' in step) yield `remove  ${step.remove}`;
    else if ('run' in step) yield `run     ${commandText(step.run)}`;
    else {
      yield `write   ${step.write.path}`;
      const lines = step.write.text.split('\n');
      yield* lines.map((line) => (line === '' ? line : `        ${line}`));
    }
  }
}

/** How a service has ended, for a person: the meaning, and the number in brackets. */
function exitText({ code, meaning }: { code?: number | undefined; meaning: string }): string {
  return code === undefined ? meaning : `${meaning} (exit code ${code})`;
}

export function commandError({ command, result }: CommandFailure): ExitError {
  const said = `${result.stderr}\n${result.stdout}`.trim().split('\n')[0] ?? '';
  return new ExitError(`This failed: ${commandText(command)}${said === '' ? '' : `\n${said}`}`);
}

/**
 * Makes sure that a service runs after the commands that were to start it.
 * @throws ExitError that says why it does not: its own last words where they are known.
 */
export async function confirmRunning(
  platform: ServicePlatform,
  state: ServiceState,
  failure: CommandFailure | undefined,
): Promise<void> {
  const { condition, lastExit } = state;
  if (condition === 'running') return;
  if (failure !== undefined && lastExit === undefined) throw commandError(failure);
  const how =
    lastExit === undefined
      ? `it is ${condition}`
      : exitText({ ...lastExit, meaning: exitMeaning(lastExit) });
  const words = await lastWords(platform);
  const said = words === undefined ? '' : `\n${words}`;
  const log = `\nIts log: ${serviceCommand('logs', platform.choice)}`;
  throw new ExitError(`The service is there, but does not run: ${how}.${said}${log}`);
}

const wordsLines = 5;

/** The sentence with which the program has ended, from the last lines of its log. */
async function lastWords({ host, logs }: ServicePlatform): Promise<string | undefined> {
  const { stdout } = await host.run(logs(wordsLines, false));
  const found = [...stdout.matchAll(/^(?:.*\s)?waypointd: (.+)$/gmu)].at(-1)?.[1];
  return found === undefined ? undefined : forTerminal(found);
}
