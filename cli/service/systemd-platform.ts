import { posix } from 'node:path';
import { renderNoNetwork } from '../../service-files/systemd/no-network.ts';
import { renderSystemUnit, renderUserUnit } from '../../service-files/systemd/service-unit.ts';
import { renderSocketUnit } from '../../service-files/systemd/socket-unit.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandLine } from './command-line.ts';
import type { ServiceHost } from './service-host.ts';
import {
  serviceTitles,
  type InstallPlan,
  type ServiceChoice,
  type ServiceFile,
  type ServicePlatform,
  type ServiceWish,
} from './service-platform.ts';
import { readSystemdState } from './systemd-state.ts';

interface Units {
  readonly service: string;
  readonly socket: string;
  readonly serviceFile: string;
  readonly socketFile: string;
  readonly noNetworkFile: string;
}

const systemDirectory = '/etc/systemd/system';

/**
 * The service of systemd, of the user or of the machine.
 * @param mustReach whether commands will be run, so that it has to be there.
 * @throws ExitError when there is no systemd, or none that this user can reach.
 */
export async function systemdPlatform(
  host: ServiceHost,
  choice: ServiceChoice,
  mustReach: boolean,
): Promise<ServicePlatform> {
  const directory = choice.isSystem ? systemDirectory : await userDirectory(host, mustReach);
  if (choice.isSystem && mustReach) await requireSystemd(host);
  const units = unitsOf(choice, directory);
  const { service, socket } = units;
  const systemctl = systemctlOf(choice);
  const forget = forgetFailures(units, systemctl);
  return {
    choice,
    title: choice.isSystem ? `the systemd service ${service}` : `your systemd service ${service}`,
    // Where StateDirectory= of a dynamic user really is.
    ...(choice.isSystem ? { machineData: `/var/lib/private/${choice.name}` } : {}),
    ownFiles: [units.serviceFile, units.socketFile, units.noNetworkFile],
    ownDirectories: choice.isSystem ? [] : leftDirectories(host, choice, directory),
    plan: (wish) => plan(choice, units, wish, systemctl),
    start: [...forget, systemctl(['start', service])],
    stop: [systemctl(['stop', socket], true), systemctl(['stop', service])],
    restart: [...forget, systemctl(['restart', service])],
    uninstall: {
      beforeFiles: disable(units, systemctl),
      afterFiles: [systemctl(['daemon-reload']), ...forget],
    },
    logs: (lines, follow) => ({
      program: 'journalctl',
      words: [
        ...(choice.isSystem ? [] : ['--user']),
        `--unit=${service}`,
        `--lines=${lines}`,
        '--output=short-iso',
        follow ? '--follow' : '--no-pager',
      ],
    }),
    readState: () => readSystemdState(host.run, systemctl, units),
  };
}

function unitsOf({ name }: ServiceChoice, directory: string): Units {
  return {
    service: `${name}.service`,
    socket: `${name}.socket`,
    serviceFile: posix.join(directory, `${name}.service`),
    socketFile: posix.join(directory, `${name}.socket`),
    noNetworkFile: posix.join(directory, `${name}.service.d`, '10-no-network.conf'),
  };
}

/**
 * Where the user's systemd reads the units of this user. A session may have set XDG_CONFIG_HOME without the service
 * manager knowing, so that is asked; the answer also tells that it can be reached.
 */
async function userDirectory(
  { run, env, home, user }: ServiceHost,
  mustReach: boolean,
): Promise<string> {
  const words = ['--user', 'show', '--property', 'UnitPath', '--value'];
  const { code, stdout } = await run({ program: 'systemctl', words });
  if (code === undefined && mustReach) throw new ExitError(noSystemd);
  if (code !== 0 && mustReach) {
    throw new ExitError(
      `The systemd service manager of ${user} cannot be reached from here. It runs while ${user} is logged in: log in as ${user}, not through su or sudo, or have it run always: sudo loginctl enable-linger ${user}`,
    );
  }
  const usual = posix.join(home, '.config', 'systemd', 'user');
  const config = env['XDG_CONFIG_HOME'];
  if (config === undefined || !posix.isAbsolute(config)) return usual;
  const own = posix.join(config, 'systemd', 'user');
  return stdout.includes(own) ? own : usual;
}

const noSystemd =
  'There is no systemd here. Have your own service manager run "waypointd serve"; SIGTERM stops it in order.';

async function requireSystemd({ run }: ServiceHost): Promise<void> {
  const { code } = await run({ program: 'systemctl', words: ['show', '--property', 'Version'] });
  if (code !== 0) throw new ExitError(noSystemd);
}

/** Those that an install or the service may have made, the inner ones first. */
function leftDirectories(
  { env }: ServiceHost,
  { name }: ServiceChoice,
  directory: string,
): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const ofService = runtime === undefined ? [] : [posix.join(runtime, name)];
  return [...ofService, directory, posix.dirname(directory)];
}

type Systemctl = (words: readonly string[], mayFail?: boolean) => CommandLine;

function systemctlOf({ isSystem }: ServiceChoice): Systemctl {
  const scope = isSystem ? [] : ['--user'];
  return (words, mayFail = false) => ({
    program: 'systemctl',
    words: [...scope, ...words],
    ...(mayFail ? { mayFail } : {}),
  });
}

/** A service that has failed too often in a minute is not started again before that is forgotten. */
function forgetFailures({ socket, service }: Units, systemctl: Systemctl): CommandLine[] {
  return [socket, service].map((unit) => systemctl(['reset-failed', unit], true));
}

/** One by one: naming a unit that is not there would keep the other as it is. */
function disable({ socket, service }: Units, systemctl: Systemctl): CommandLine[] {
  return [socket, service].map((unit) => systemctl(['disable', '--now', unit], true));
}

function plan(
  choice: ServiceChoice,
  units: Units,
  wish: ServiceWish,
  systemctl: Systemctl,
): InstallPlan {
  const { service, socket } = units;
  const enabled = wish.port === undefined ? [service] : [socket, service];
  const common = {
    directories: choice.isSystem ? [] : wish.writable,
    beforeChange: disable(units, systemctl),
    activate: (isChanged: boolean) => [
      ...(isChanged ? [systemctl(['daemon-reload'])] : []),
      ...forgetFailures(units, systemctl),
      systemctl(['enable', ...enabled]),
      // The socket first: it cannot be had once its service listens there by itself.
      ...enabled.map((unit) => systemctl(['start', unit], unit === socket)),
    ],
  };
  const remarks = choice.isSystem ? systemRemarks(choice) : [];
  const whole = { ...common, files: filesOf(choice, units, wish, true), remarks };
  if (choice.isSystem) return whole;
  const files = filesOf(choice, units, wish, false);
  return { ...whole, fallback: { ...common, files, remarks: [...remarks, lessSandbox] } };
}

const lessSandbox =
  'This system gives the services of users no namespaces of their own (Ubuntu since 24.04, some hardened kernels), so it runs with less of a sandbox: system calls are filtered, but the file system is as you see it.';

function systemRemarks({ name }: ServiceChoice): string[] {
  const remarks = [
    'It runs as a user of its own and cannot see home directories: put what it is to import elsewhere, such as /srv.',
    `Settings: systemctl edit ${name}, with lines such as Environment=WAYPOINTD_HISTORY=false below [Service].`,
  ];
  if (name === 'waypointd') {
    remarks.push('Its token is in /run/waypointd/daemon.json, which only root can read.');
  }
  return remarks;
}

function filesOf(
  { name, isSystem }: ServiceChoice,
  units: Units,
  wish: ServiceWish,
  isSandboxed: boolean,
): ServiceFile[] {
  const { node, launcher, port, hasUsualCache: hasCacheDirectory, writable } = wish;
  const common = {
    name,
    title: serviceTitles[name],
    node,
    words: [launcher, ...wish.words],
    hasSocket: port !== undefined,
  };
  const text = isSystem
    ? renderSystemUnit(common)
    : renderUserUnit({ ...common, writable, hasCacheDirectory, isSandboxed });
  const files = [{ path: units.serviceFile, text }];
  if (port !== undefined) {
    files.push({ path: units.socketFile, text: renderSocketUnit({ name, port }) });
  }
  if (!wish.hasNetwork) files.push({ path: units.noNetworkFile, text: renderNoNetwork(name) });
  return files;
}
