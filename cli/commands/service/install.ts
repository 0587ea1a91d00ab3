import { dirname, join } from 'node:path';
import { absolutePath } from '../../../client/waypoints/node/places.ts';
import { servesDataDirectory } from '../../../client/waypoints/node/hand-over-file.ts';
import { refusal } from '../../../daemon/faults.ts';
import { environmentVariable, flagName } from '../../../daemon/settings.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { settingDefaults, type SettingKey, settingKeys } from '../../../model/settings.ts';
import { choosePlatform } from '../../../service-files/choose-platform.ts';
import { installService, installSteps } from '../../../service-files/install.ts';
import {
  findProgramFiles,
  type ProgramFiles,
  whyNodeMayGo,
  whyNotLasting,
} from '../../../service-files/program-files.ts';
import type {
  ServiceChoice,
  ServicePlatform,
  ServiceSpec,
  ServiceHost,
} from '../../../service-files/service-platform.ts';
import { serviceTitles } from '../../../service-files/service-program.ts';
import { machineDirectories } from '../../../service-files/windows/service-platform.ts';
import { findDaemon } from '../../program/connection.ts';
import type { CommandContext } from '../../program/context.ts';
import { localHost } from '../../program/local-service.ts';
import { findPortFault, probePort } from '../../program/port-probe.ts';
import { isWithin } from '../../terminal/access.ts';
import { invocation, shellWord } from '../../terminal/invocation.ts';
import { note } from '../../terminal/output.ts';
import { confirmRunning, serviceCommand, startsWhen, stepLines } from './status.ts';

export async function* installCommand(
  context: CommandContext,
  choice: ServiceChoice,
  options: SpecOptions & { readonly dryRun: boolean; readonly node: string | undefined },
): AsyncGenerator<string> {
  const platform = await choosePlatform(localHost(), choice, { mustReach: !options.dryRun });
  const { node } = options;
  const files = await findProgramFiles(platform.host, node && absolutePath(node, process.cwd()));
  const mayGo = whyNodeMayGo(files.node);
  const again = `${invocation()} service install --node PATH`;
  if (mayGo !== undefined) note(`${mayGo} To choose another one: ${again}`);
  const spec = serviceSpec(context, platform, files, options);
  const plan = platform.plan(spec);
  const problem = whyNot(platform, files);
  if (options.dryRun) yield* stepLines(installSteps(platform, plan));
  if (problem !== undefined) throw problem;
  if (options.dryRun) return;
  const { port } = spec;
  if (choice.name === 'waypointd') await refuseOccupied(context, platform, port);
  const isServing = async () => port === undefined || (await probePort(port)) === 'waypointd';
  const installed = await installService(platform, plan, isServing);
  await confirmRunning(platform, installed.state, installed.failure);
  const { pid } = installed.state;
  const done = installed.isChanged ? 'is installed and runs' : 'was installed already and runs';
  const number = pid === undefined ? '' : ` (process ${pid})`;
  const place = port === undefined ? '' : ` on http://127.0.0.1:${port}`;
  yield `waypointd ${done} as ${platform.title}${place}${number}.`;
  yield `It starts ${startsWhen(platform)}.`;
  yield* installed.plan.remarks;
  yield '';
  yield `  state    ${serviceCommand('status', choice)}`;
  yield `  log      ${serviceCommand('logs', choice)}`;
  yield `  remove   ${serviceCommand('uninstall', choice)}   (keeps your data)`;
}

function whyNot({ host, choice }: ServicePlatform, files: ProgramFiles): ExitError | undefined {
  const { isSystem } = choice;
  const isRoot = host.uid === 0;
  if (host.platform === 'linux' && isSystem && !isRoot) {
    const words = [files.node, files.launcher, 'service', 'install', '--system'];
    return new ExitError(
      `A service of the machine is installed by root: sudo ${words.map(shellWord).join(' ')}`,
      64,
    );
  }
  if (host.platform !== 'win32' && isRoot && !isSystem && host.env['SUDO_USER'] !== undefined) {
    return new ExitError(
      'With sudo this would be a service of root. Run it without sudo for a service of yours, or add --system for one of the machine.',
      64,
    );
  }
  const reason = whyNotLasting(files, host, isSystem);
  return reason === undefined ? undefined : new ExitError(`${reason}\nNothing was changed.`);
}

/**
 * Notices a daemon that was started by hand, or another program at the port: the service could not start beside it.
 * @throws ExitError 75
 */
async function refuseOccupied(
  context: CommandContext,
  { choice, readState }: ServicePlatform,
  port: number | undefined,
): Promise<void> {
  const { port: ownPort, heldPort, condition } = await readState();
  const isOurs = condition === 'running' || condition === 'starting';
  if (!choice.isSystem && !isOurs) await refuseBesideAnother(context, port);
  const isOwnPort = heldPort === port || (isOurs && (ownPort ?? port) === port);
  if (port === undefined || isOwnPort) return;
  const fault = await findPortFault(port);
  if (fault !== undefined) throw refusal({ ...fault, left: 'nothing was changed' });
}

async function refuseBesideAnother(
  context: CommandContext,
  port: number | undefined,
): Promise<void> {
  const running = await findDaemon(context);
  if (running === undefined) return;
  const { handOver } = running;
  if (handOver.port !== port && !servesDataDirectory(handOver, context.paths.data)) return;
  throw new ExitError(
    `A waypointd that was started by hand runs at ${handOver.url}. Stop it (Ctrl-C in its terminal, or: kill ${handOver.pid}), then install the service again. Nothing was changed.`,
    75,
  );
}

interface SpecOptions {
  readonly network: boolean;
  readonly wrapper: string | undefined;
}

/** The settings that a service file carries: where things are. All others it reads from `config.json`. */
const carried: readonly SettingKey[] = ['data_dir', 'cache_dir', 'runtime_dir', 'port'];

/**
 * Options of a service that this call installs: which service, of which machine, runs which files.
 * @throws ExitError 64 for a setting that a service file does not carry: argument lists are there for all to see.
 */
function serviceSpec(
  context: CommandContext,
  { host, choice }: ServicePlatform,
  files: ProgramFiles,
  { network: hasNetwork, wrapper }: SpecOptions,
): ServiceSpec {
  const { name, isSystem } = choice;
  refuseOtherFlags(context, choice);
  const isDaemon = name === 'waypointd';
  const port = isDaemon ? chosenPort(context, choice) : undefined;
  if (!hasNetwork && (port === undefined || host.platform !== 'linux')) {
    throw usageError('--no-network is for the daemon with a fixed port, under systemd.');
  }
  const place = isSystem
    ? machinePlace(host, choice)
    : isDaemon
      ? userPlace(context, host)
      : objectsPlace(context);
  const words = [...(isDaemon ? ['serve'] : ['objects', 'serve']), ...place.words];
  if (isCarried(context, 'port') && isDaemon) words.push('--port', String(port ?? 0));
  return {
    name,
    title: serviceTitles[name],
    node: files.node,
    ...place,
    words: [files.launcher, ...words],
    port,
    hasNetwork,
    hasLogFile: !isSystem && context.resolved.settings.log_file !== undefined,
    wrapper,
  };
}

/** Where a service has its directories, and the arguments that say so. */
type Place = Pick<ServiceSpec, 'words' | 'writable' | 'hasCacheDirectory'>;

/**
 * The directories of a user's daemon. Those that its sandbox lets it write to are named in its arguments as well: a
 * session may know others than the service manager (XDG_DATA_HOME), and a service file is written once.
 */
function userPlace({ paths, resolved, given }: CommandContext, host: ServiceHost): Place {
  const { settings } = resolved;
  const words = ['--data-dir', paths.data];
  const writable = [paths.data];
  const hasCacheDirectory =
    resolved.sources.cache_dir === 'default' &&
    (host.platform !== 'linux' || paths.cache === join(host.home, '.cache', 'waypointd'));
  if (!hasCacheDirectory) {
    words.push('--cache-dir', paths.cache);
    writable.push(paths.cache);
  }
  if (settings.runtime_dir !== undefined) {
    words.push('--runtime-dir', paths.runtime);
    writable.push(paths.runtime);
  }
  if (given.config !== undefined) words.push('--config', paths.configFile);
  for (const file of [paths.bookmarksFile, settings.log_file]) {
    const isOutside = file !== undefined && !writable.some((path) => isWithin(file, path));
    if (isOutside) writable.push(dirname(file));
  }
  return { words, writable, hasCacheDirectory };
}

function objectsPlace({ paths }: CommandContext): Place {
  return { words: ['--root', paths.objects], writable: [paths.objects], hasCacheDirectory: false };
}

/** systemd makes the directories of a service of the machine and names them in its environment; Windows does not. */
function machinePlace(host: ServiceHost, choice: ServiceChoice): Place {
  const isDaemon = choice.name === 'waypointd';
  if (host.platform !== 'win32') {
    const words = isDaemon ? [] : ['--root', `/var/lib/${choice.name}`];
    return { words, writable: [], hasCacheDirectory: true };
  }
  const { data, cache, runtime } = machineDirectories(host.env, choice);
  const words = isDaemon
    ? ['--data-dir', data, '--cache-dir', cache, '--runtime-dir', runtime]
    : ['--root', data];
  return { words, writable: isDaemon ? [data, cache, runtime] : [data], hasCacheDirectory: false };
}

/** A service of the machine is not told what one person has set for their own. */
function chosenPort(context: CommandContext, { isSystem }: ServiceChoice): number | undefined {
  const { settings, sources } = context.resolved;
  const isMeant = !isSystem || sources.port === 'flag';
  const port = isMeant ? settings.port : settingDefaults.port;
  return port === 0 ? undefined : port;
}

function isCarried({ resolved }: CommandContext, key: SettingKey): boolean {
  return resolved.sources[key] === 'flag' || resolved.sources[key] === 'environment';
}

function refuseOtherFlags(context: CommandContext, { isSystem }: ServiceChoice): void {
  if (context.geodataManifest !== undefined) {
    throw usageError(
      'A service uses the geodata of its own version only: leave out --geodata-manifest.',
    );
  }
  for (const key of settingKeys) {
    // `service install --objects` means the object server's own service, not the setting.
    if (key === 'objects') continue;
    const isFlag = context.resolved.sources[key] === 'flag';
    const advice = `${invocation()} config set ${key} …`;
    if (isSystem && isFlag && key !== 'port') {
      throw usageError(
        `A service of the machine has places of its own: --${flagName(key)} cannot be given to it.`,
      );
    }
    if (carried.includes(key)) continue;
    if (isFlag) {
      throw usageError(
        `A service file does not hold --${flagName(key)}. Write it to config.json: ${advice}`,
      );
    }
    if (isCarried(context, key) && !isSystem) {
      note(`${environmentVariable(key)} is set here, not for the service; for both: ${advice}`);
    }
  }
}
