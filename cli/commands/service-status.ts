import { existsSync } from 'node:fs';
import { readHandOver } from '../../client/waypoints/node/hand-over-file.ts';
import { probePort } from '../port-probe.ts';
import { commandText } from '../service/command-text.ts';
import { exitMeaning } from '../service/exit-meaning.ts';
import { installedFiles } from '../service/service-files.ts';
import type { ServiceHost } from '../service/service-host.ts';
import type { ServiceChoice, ServicePlatform, ServiceState } from '../service/service-platform.ts';
import type { CommandContext } from '../program/context.ts';
import { note, print } from '../terminal/output.ts';
import { exitText, serviceCommand } from './service-report.ts';
import { counted, duration } from '../terminal/wording.ts';

/** Everything that `service status` tells, as its `--json` prints it. */
export interface ServiceStatus {
  readonly service: string;
  readonly title: string;
  readonly installed: boolean;
  /** Whether it starts by itself. */
  readonly enabled: boolean;
  readonly state: ServiceState['condition'];
  /** ISO 8601 */
  readonly since?: string;
  readonly pid?: number;
  readonly restarts?: number;
  readonly last_exit?: {
    readonly code?: number;
    readonly signal?: number;
    readonly meaning: string;
  };
  readonly port?: number;
  /** Who is at that port; `held`: the service manager, which starts the service at the first request. */
  readonly port_use?: 'waypointd' | 'other' | 'nobody' | 'held';
  /** Whether it runs while its user is not logged in; only for a user's service of systemd. */
  readonly linger?: boolean;
  readonly files: readonly string[];
  /** The command that shows its log. */
  readonly logs: string;
}

/** Asks the service manager, and the port if that cannot start anything. */
export async function readServiceStatus(
  platform: ServicePlatform,
  host: ServiceHost,
  context: CommandContext,
): Promise<ServiceStatus> {
  const { choice, title, logs } = platform;
  const state = await platform.readState();
  const { lastExit, pid, restarts, since } = state;
  return {
    service: choice.name,
    title,
    installed: state.isInstalled,
    enabled: state.isEnabled,
    state: state.condition,
    ...(since === undefined ? {} : { since }),
    ...(pid === undefined ? {} : { pid }),
    ...(restarts === undefined ? {} : { restarts }),
    ...(lastExit === undefined
      ? {}
      : { last_exit: { ...exitNumbers(lastExit), meaning: exitMeaning(lastExit) } }),
    ...(state.isInstalled && choice.name === 'waypointd' ? await portStatus(state, context) : {}),
    ...(isOfUserSystemd(host, choice) ? { linger: lingers(host) } : {}),
    files: installedFiles(platform),
    logs: commandText(logs(linesShown, false)),
  };
}

const linesShown = 50;

function exitNumbers({ code, signal }: NonNullable<ServiceState['lastExit']>) {
  return {
    ...(code === undefined ? {} : { code }),
    ...(signal === undefined ? {} : { signal }),
  };
}

async function portStatus(
  state: ServiceState,
  { paths, resolved }: CommandContext,
): Promise<Pick<ServiceStatus, 'port' | 'port_use'>> {
  const { heldPort } = state;
  if (heldPort !== undefined && state.condition !== 'running') {
    return { port: heldPort, port_use: 'held' };
  }
  let { port } = state;
  for (const file of paths.handOverCandidates) {
    if (port !== undefined) break;
    const reading = await readHandOver(file);
    if (reading.found !== 'hand-over' || reading.handOver.pid !== state.pid) continue;
    ({ port } = reading.handOver);
  }
  port ??= resolved.settings.port;
  return port === 0 ? {} : { port, port_use: await probePort(port) };
}

function isOfUserSystemd({ platform }: ServiceHost, { isSystem }: ServiceChoice): boolean {
  return platform === 'linux' && !isSystem;
}

/** logind keeps one file for each user whose services run without a login. */
function lingers({ user }: ServiceHost): boolean {
  return existsSync(`/var/lib/systemd/linger/${user}`);
}

/** Says when a service starts by itself: `with the machine`. */
export function startsWhen(host: ServiceHost, choice: ServiceChoice): string {
  if (choice.isSystem) return 'with the machine';
  if (!isOfUserSystemd(host, choice)) return 'when you log in';
  if (lingers(host)) return 'with the machine, because your services linger';
  return 'when you log in, and stops when you log out (to have it run from boot on: loginctl enable-linger)';
}

/** Prints a status for a person. */
export async function showStatus(
  status: ServiceStatus,
  choice: ServiceChoice,
  host: ServiceHost,
): Promise<void> {
  if (!status.installed) {
    note(
      `waypointd is not installed as ${status.title}. Install it with: ${serviceCommand('install', choice)}`,
    );
    return;
  }
  await print(status.title);
  const enabled = status.enabled
    ? startsWhen(host, choice)
    : `by hand only (change that: ${serviceCommand('install', choice)})`;
  const rows: [string, string | undefined][] = [
    ['state', stateText(status)],
    [
      'restarts',
      status.restarts ? `${counted(status.restarts, 'time')} after a failure` : undefined,
    ],
    ['port', portText(status)],
    ['starts', enabled],
    ...status.files.map((file, at): [string, string] => [at === 0 ? 'files' : '', file]),
    ['log', `${serviceCommand('logs', choice)}`],
  ];
  for (const [label, text] of rows) {
    if (text !== undefined) await print(`${label.padEnd(9)} ${text}`);
  }
}

function stateText({ state, since, pid, last_exit: exit }: ServiceStatus): string {
  if (state === 'running') {
    const age = since === undefined ? '' : ` for ${duration(Date.now() - Date.parse(since))}`;
    return `running${age}${pid === undefined ? '' : ` (process ${pid})`}`;
  }
  return exit === undefined ? state : `${state}: ${exitText(exit)}`;
}

function portText({ port, port_use: use }: ServiceStatus): string | undefined {
  if (port === undefined || use === undefined) return undefined;
  const texts: Readonly<Record<typeof use, string>> = {
    waypointd: 'answers',
    other: 'another program is there, or it hangs',
    nobody: 'nobody listens',
    held: 'held by systemd, which starts the service at the first request',
  };
  return `${port}: ${texts[use]}`;
}
