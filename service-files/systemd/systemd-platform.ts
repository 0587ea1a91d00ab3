import { posix } from 'node:path';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandLine } from '../command-line.ts';
import type {
  InstallPlan,
  ServiceChoice,
  ServiceFile,
  ServicePlatform,
  ServiceSpec,
  ServiceHost,
} from '../service-platform.ts';
import {
  renderNoNetwork,
  renderSocketUnit,
  renderSystemUnit,
  renderUserUnit,
} from './service-unit.ts';
import { readSystemdState, type Units } from './systemd-state.ts';

interface UnitFiles extends Units {
  readonly directory: string;
  readonly noNetwork: string;
}

type Systemctl = (words: readonly string[], mayFail?: boolean) => CommandLine;

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
  const { name, isSystem } = choice;
  const directory = isSystem
    ? await systemDirectory(host, mustReach)
    : await userDirectory(host, mustReach);
  const scope = isSystem ? [] : ['--user'];
  const systemctl: Systemctl = (words, mayFail = false) => ({
    program: 'systemctl',
    words: [...scope, ...words],
    ...(mayFail ? { mayFail } : {}),
  });
  const service = `${name}.service`;
  const socket = `${name}.socket`;
  const noNetwork = posix.join(`${service}.d`, '10-no-network.conf');
  const units = { service, socket, noNetwork, directory };
  // One by one: naming a unit that is not there would keep the other as it is.
  const each = (...words: string[]) =>
    [socket, service].map((unit) => systemctl([...words, unit], true));
  // A service that has failed too often in a minute is not started again before that is forgotten.
  const forget = each('reset-failed');
  const disable = each('disable', '--now');
  return {
    host,
    choice,
    title: isSystem ? `the systemd service ${service}` : `your systemd service ${service}`,
    // Where StateDirectory= of a dynamic user really is.
    ...(isSystem ? { machineData: `/var/lib/private/${name}` } : {}),
    ownFiles: [service, socket, noNetwork].map((file) => posix.join(directory, file)),
    ownDirectories: isSystem ? [] : leftDirectories(host, name, directory),
    plan: (spec) => plan(choice, units, spec, { systemctl, forget, disable }),
    start: [...forget, systemctl(['start', service])],
    stop: [systemctl(['stop', socket], true), systemctl(['stop', service])],
    restart: [...forget, systemctl(['restart', service])],
    uninstall: { beforeFiles: disable, afterFiles: [systemctl(['daemon-reload']), ...forget] },
    logs: (lines, follow) => ({
      program: 'journalctl',
      words: [
        ...scope,
        `--unit=${service}`,
        `--lines=${lines}`,
        '--output=short-iso',
        follow ? '--follow' : '--no-pager',
      ],
    }),
    readState: () => readSystemdState(host.run, systemctl, units),
  };
}

const noSystemd =
  'There is no systemd here. Have your own service manager run "waypointd serve"; SIGTERM stops it in order.';

async function systemDirectory({ run }: ServiceHost, mustReach: boolean): Promise<string> {
  const asked = { program: 'systemctl', words: ['show', '--property', 'Version'] };
  if (mustReach && (await run(asked)).code !== 0) throw new ExitError(noSystemd);
  return '/etc/systemd/system';
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

/** Those that an install or the service may have made, the inner ones first. */
function leftDirectories({ env }: ServiceHost, name: string, directory: string): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const ofService = runtime === undefined ? [] : [posix.join(runtime, name)];
  return [...ofService, directory, posix.dirname(directory)];
}

function plan(
  choice: ServiceChoice,
  units: UnitFiles,
  spec: ServiceSpec,
  commands: { systemctl: Systemctl; forget: CommandLine[]; disable: CommandLine[] },
): InstallPlan {
  const { isSystem } = choice;
  const { service, socket } = units;
  const { systemctl, forget, disable } = commands;
  const enabled = spec.port === undefined ? [service] : [socket, service];
  const whole = {
    directories: isSystem ? [] : spec.writable,
    files: filesOf(choice, units, spec, true),
    beforeChange: disable,
    activate: (isChanged: boolean) => [
      ...(isChanged ? [systemctl(['daemon-reload'])] : []),
      ...forget,
      systemctl(['enable', ...enabled]),
      // The socket first: it cannot be had once its service listens there by itself.
      ...enabled.map((unit) => systemctl(['start', unit], unit === socket)),
    ],
    remarks: isSystem ? systemRemarks(choice) : [],
  };
  if (isSystem) return whole;
  const files = filesOf(choice, units, spec, false);
  return { ...whole, fallback: { ...whole, files, remarks: [lessSandbox] } };
}

const lessSandbox =
  'This system gives the services of users no namespaces of their own (Ubuntu since 24.04, some hardened kernels), so it runs with less of a sandbox: system calls are filtered, but the file system is as you see it.';

function systemRemarks({ name }: ServiceChoice): string[] {
  const remarks = [
    'It runs as a user of its own and cannot see home directories: put what it is to import elsewhere, such as /srv.',
    `Settings: systemctl edit ${name}, with lines such as Environment=WAYPOINTD_HISTORY=false below [Service].`,
  ];
  return name === 'waypointd'
    ? [...remarks, 'Its token is in /run/waypointd/daemon.json, which only root can read.']
    : remarks;
}

function filesOf(
  { name, isSystem }: ServiceChoice,
  units: UnitFiles,
  spec: ServiceSpec,
  isSandboxed: boolean,
): ServiceFile[] {
  const { port } = spec;
  const unit = { ...spec, hasSocket: port !== undefined };
  const text = isSystem ? renderSystemUnit(unit) : renderUserUnit({ ...unit, isSandboxed });
  const files = [{ path: units.service, text }];
  if (port !== undefined) files.push({ path: units.socket, text: renderSocketUnit(name, port) });
  if (!spec.hasNetwork) files.push({ path: units.noNetwork, text: renderNoNetwork(name) });
  return files.map(({ path, text: content }) => ({
    path: posix.join(units.directory, path),
    text: content,
  }));
}
