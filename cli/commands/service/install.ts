import { servesDataDirectory } from '../../../client/waypoints/node/hand-over-file.ts';
import { portFault, refusal } from '../../../daemon/faults.ts';
import { portOwner } from '../../../daemon/port-owner.ts';
import { ExitError } from '../../../model/exit-error.ts';
import { choosePlatform } from '../../../service-files/choose-platform.ts';
import { installService, installSteps } from '../../../service-files/install.ts';
import {
  findProgramFiles,
  whyNotLasting,
  type ProgramFiles,
} from '../../../service-files/program-files.ts';
import type { ServiceHost } from '../../../service-files/service-host.ts';
import type { ServiceChoice, ServicePlatform } from '../../../service-files/service-platform.ts';
import { probePort } from '../../program/port-probe.ts';
import { findDaemon } from '../../program/connection.ts';
import type { CommandContext } from '../../program/context.ts';
import { shellWord } from '../../terminal/invocation.ts';
import { print } from '../../terminal/output.ts';
import { localHost } from '../../program/local-service.ts';
import { serviceSpec, type SpecOptions } from './spec.ts';
import { startsWhen } from './status.ts';
import { confirmRunning, serviceCommand, showSteps } from './wording.ts';

export interface InstallOptions extends SpecOptions {
  readonly dryRun: boolean;
}

/** `waypointd service install` */
export async function installCommand(
  context: CommandContext,
  choice: ServiceChoice,
  options: InstallOptions,
): Promise<void> {
  const host = localHost();
  const platform = await choosePlatform(host, choice, { mustReach: !options.dryRun });
  const files = await findProgramFiles(host);
  const spec = serviceSpec(context, { host, choice, files }, options);
  const plan = platform.plan(spec);
  const problem = whyNot(host, choice, files);
  if (options.dryRun) await showSteps(installSteps(platform, plan));
  if (problem !== undefined) throw problem;
  if (options.dryRun) return;
  const { port } = spec;
  if (choice.name === 'waypointd') await refuseOccupied(context, platform, port);
  const isServing = async () => port === undefined || (await probePort(port)) === 'waypointd';
  const installed = await installService(platform, plan, host, isServing);
  await confirmRunning(platform, host, installed.state, installed.failure);
  const { pid } = installed.state;
  const done = installed.isChanged ? 'is installed and runs' : 'was installed already and runs';
  const process = pid === undefined ? '' : ` (process ${pid})`;
  const place = port === undefined ? '' : ` on http://127.0.0.1:${port}`;
  await print(`waypointd ${done} as ${platform.title}${place}${process}.`);
  await print(`It starts ${startsWhen(host, choice)}.`);
  for (const remark of installed.plan.remarks) await print(remark);
  await print(`
  state    ${serviceCommand('status', choice)}
  log      ${serviceCommand('logs', choice)}
  remove   ${serviceCommand('uninstall', choice)}   (keeps your data)`);
}

function whyNot(
  host: ServiceHost,
  { isSystem }: ServiceChoice,
  files: ProgramFiles,
): ExitError | undefined {
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
  const owner = portOwner(port);
  const use = await probePort(port);
  if (use === 'nothing' && owner.state !== 'connection') return;
  const holder = { waypointd: 'waypointd', other: 'program', nothing: 'connection' } as const;
  throw refusal({ ...portFault(port, holder[use], owner), left: 'nothing was changed' });
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
