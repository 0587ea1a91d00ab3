import { existsSync } from 'node:fs';
import { readHandOver } from '../../../client/waypoints/node/hand-over-file.ts';
import { installedFiles } from '../../../service-files/install-steps.ts';
import { exitMeaning } from '../../../service-files/service-exit.ts';
import type { ServiceHost } from '../../../service-files/service-host.ts';
import type {
  ServiceChoice,
  ServicePlatform,
  ServiceState,
} from '../../../service-files/service-platform.ts';
import { probePort, type PortUse } from '../../port-probe.ts';
import type { CommandContext } from '../../program/context.ts';
import { note, print } from '../../terminal/output.ts';
import { counted, duration } from '../../terminal/wording.ts';
import { commandText, exitText, notInstalledSentence, serviceCommand } from './wording.ts';

/** Everything that `service status` tells. */
export interface ServiceStatus {
  readonly host: ServiceHost;
  readonly platform: ServicePlatform;
  readonly state: ServiceState;
  readonly port: number | undefined;
  /** Who is at that port; `held`: the service manager, which starts the service at the first request. */
  readonly portUse: PortUse | 'held' | undefined;
  /** Whether it runs while its user is not logged in; only for a user's service of systemd. */
  readonly lingers: boolean | undefined;
  readonly files: readonly string[];
}

/** Asks the service manager, and the port if that cannot start anything. */
export async function readServiceStatus(
  platform: ServicePlatform,
  host: ServiceHost,
  context: CommandContext,
): Promise<ServiceStatus> {
  const { choice } = platform;
  const state = await platform.readState();
  const hasPort = state.isInstalled && choice.name === 'waypointd';
  const held = state.condition === 'running' ? undefined : state.heldPort;
  const port = hasPort ? (held ?? (await portOf(state, context))) : undefined;
  return {
    host,
    platform,
    state,
    port,
    portUse: port === undefined ? undefined : held === port ? 'held' : await probePort(port),
    lingers: isOfUserSystemd(host, choice) ? lingers(host) : undefined,
    files: installedFiles(platform),
  };
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

/** What `service status --json` prints. */
export function statusJson({ platform, state, port, portUse, lingers, files }: ServiceStatus) {
  const { lastExit } = state;
  return {
    service: platform.choice.name,
    title: platform.title,
    installed: state.isInstalled,
    /** Whether it starts by itself. */
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
    port_use: portUse,
    linger: lingers,
    files,
    /** The command that shows its log. */
    logs: commandText(platform.logs(50, false)),
  };
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

const portTexts: Readonly<Record<PortUse | 'held', string>> = {
  waypointd: 'answers',
  other: 'another program is there, or it hangs',
  nobody: 'nobody listens',
  held: 'held by systemd, which starts the service at the first request',
};

/** Prints a status for a person. */
export async function showStatus(status: ServiceStatus): Promise<void> {
  const { host, platform, state, port, portUse, files } = status;
  const { choice } = platform;
  if (!state.isInstalled) return note(notInstalledSentence(platform));
  await print(platform.title);
  const rows: [string, string | undefined | false][] = [
    ['state', stateText(state)],
    ['restarts', !!state.restarts && `${counted(state.restarts, 'time')} after a failure`],
    ['port', portUse && `${port}: ${portTexts[portUse]}`],
    [
      'starts',
      state.isEnabled
        ? startsWhen(host, choice)
        : `by hand only (change that: ${serviceCommand('install', choice)})`,
    ],
    ...files.map((file, at): [string, string] => [at === 0 ? 'files' : '', file]),
    ['log', serviceCommand('logs', choice)],
  ];
  for (const [label, text] of rows) {
    if (text) await print(`${label.padEnd(9)} ${text}`);
  }
}

function stateText({ condition, since, pid, lastExit }: ServiceState): string {
  if (condition !== 'running') {
    return lastExit === undefined ? condition : `${condition}: ${exitText(lastExit)}`;
  }
  const age = since === undefined ? '' : ` for ${duration(Date.now() - Date.parse(since))}`;
  return `running${age}${pid === undefined ? '' : ` (process ${pid})`}`;
}
