import { UnfitText } from '../../service-files/service-program.ts';
import { servesDataDirectory } from '../../client/waypoints/node/hand-over-file.ts';
import { probePort } from '../port-probe.ts';
import { choosePlatform } from '../service/choose-platform.ts';
import { commandText } from '../service/command-text.ts';
import { installService } from '../service/install.ts';
import { findProgramFiles, whyNotLasting, type ProgramFiles } from '../service/program-files.ts';
import { compareFiles } from '../service/service-files.ts';
import { thisHost, type ServiceHost } from '../service/service-host.ts';
import type {
  InstallPlan,
  ServiceChoice,
  ServicePlatform,
  ServiceWish,
} from '../service/service-platform.ts';
import { ExitError } from '../../model/exit-error.ts';
import { findDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { invocation, shellWord } from '../terminal/invocation.ts';
import { print } from '../terminal/output.ts';
import { confirmRunning, serviceCommand } from './service-report.ts';
import { startsWhen } from './service-status.ts';
import { serviceWish } from './service-wish.ts';

export interface InstallOptions {
  readonly dryRun: boolean;
  readonly hasNetwork: boolean;
  readonly wrapper: string | undefined;
  /** Whether this program has the command that the service would run. */
  readonly canRun: boolean;
}

/** `waypointd service install` */
export async function installCommand(
  context: CommandContext,
  choice: ServiceChoice,
  options: InstallOptions,
  host = thisHost(),
): Promise<void> {
  const platform = await choosePlatform(host, choice, { mustReach: !options.dryRun });
  const files = await findProgramFiles(host);
  const wish = serviceWish(context, { host, choice, files, ...options });
  const plan = planFor(platform, wish);
  const problem = whyNot({ host, choice, files, canRun: options.canRun });
  if (options.dryRun) await showPlan(platform, plan);
  if (problem !== undefined) throw problem;
  if (options.dryRun) return;
  if (choice.name === 'waypointd') await refuseOccupied(context, platform, wish.port);
  const installed = await installService(platform, plan, host.run, wish.port);
  const { pid } = await confirmRunning(platform, host, installed);
  const done = installed.isChanged ? 'is installed and runs' : 'was installed already and runs';
  const process = pid === undefined ? '' : ` (process ${pid})`;
  const place = wish.port === undefined ? '' : ` on http://127.0.0.1:${wish.port}`;
  await print(`waypointd ${done} as ${platform.title}${place}${process}.`);
  await print(`It starts ${startsWhen(host, choice)}.`);
  for (const remark of installed.plan.remarks) await print(remark);
  await print(`
  state    ${serviceCommand('status', choice)}
  log      ${serviceCommand('logs', choice)}
  remove   ${serviceCommand('uninstall', choice)}   (keeps your data)`);
}

function planFor(platform: ServicePlatform, wish: ServiceWish): InstallPlan {
  try {
    return platform.plan(wish);
  } catch (error) {
    if (!(error instanceof UnfitText)) throw error;
    throw new ExitError(`${error.message}\nNothing was changed.`, 1, error);
  }
}

function whyNot({
  host,
  choice,
  files,
  canRun,
}: {
  readonly host: ServiceHost;
  readonly choice: ServiceChoice;
  readonly files: ProgramFiles;
  readonly canRun: boolean;
}): ExitError | undefined {
  if (!canRun) {
    return new ExitError(
      'This version of waypointd has no object server yet: there is no command "objects serve" that a service could run. Nothing was changed.',
      64,
    );
  }
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
  if (port === undefined || isOwnPort || (await probePort(port)) === 'nobody') return;
  throw new ExitError(
    `Port ${port} of 127.0.0.1 is taken by another program or another user's waypointd; choose another: ${invocation()} config set port NUMBER. Nothing was changed.`,
    75,
  );
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

async function showPlan(platform: ServicePlatform, plan: InstallPlan): Promise<void> {
  const { written, removed, isUpdate } = compareFiles(platform, plan);
  const isChanged = written.length + removed.length > 0;
  for (const directory of plan.directories) await print(`make    ${directory}`);
  if (isChanged && isUpdate) await showCommands(plan.beforeChange);
  for (const { path, text } of written) {
    await print(`write   ${path}`);
    await print(text.replaceAll(/^(?=.)/gmu, '        '));
  }
  for (const path of removed) await print(`remove  ${path}`);
  await showCommands(plan.activate(isChanged));
}

/** Shows commands as they would be run. */
export async function showCommands(
  commands: readonly Parameters<typeof commandText>[0][],
): Promise<void> {
  for (const command of commands) await print(`run     ${commandText(command)}`);
}
