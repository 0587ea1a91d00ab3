import { setTimeout as delay } from 'node:timers/promises';
import type { CommandFailure } from './command-line.ts';
import {
  changesFiles,
  installSteps,
  removeEmpty,
  takeSteps,
  uninstallSteps,
} from './install-steps.ts';
import { isSandboxFailure } from './service-exit.ts';
import type { ServiceHost } from './service-host.ts';
import type { InstallPlan, ServicePlatform, ServiceState } from './service-platform.ts';

/** What has become of an install. */
export interface Installed {
  readonly state: ServiceState;
  /** The plan that was carried out: the one asked for, or its fallback. */
  readonly plan: InstallPlan;
  readonly isChanged: boolean;
  readonly failure: CommandFailure | undefined;
}

/** Tells whether a service that runs answers; without it, to run is enough. */
export type IsServing = () => Promise<boolean>;

/** Service managers that only take note of an order need a moment to carry it out. */
const settleMs = 10_000;
const settlePauseMs = 200;

/**
 * Installs a service and starts it. Doing it again changes nothing but what is different.
 * @throws ExitError when a foreign file is in the way; errors of the file system.
 */
export async function installService(
  platform: ServicePlatform,
  plan: InstallPlan,
  host: ServiceHost,
  isServing?: IsServing,
): Promise<Installed> {
  const { fallback } = plan;
  // Where the fallback is installed already, trying the other again would only interrupt the service.
  const isFallback = fallback !== undefined && !changesFiles(installSteps(platform, fallback));
  const installed = await carryOut(platform, isFallback ? fallback : plan, host, isServing);
  if (isFallback || fallback === undefined) return installed;
  if (!isSandboxFailure(installed.state.lastExit)) return installed;
  return carryOut(platform, fallback, host, isServing);
}

async function carryOut(
  platform: ServicePlatform,
  plan: InstallPlan,
  host: ServiceHost,
  isServing: IsServing | undefined,
): Promise<Installed> {
  const steps = installSteps(platform, plan);
  const failure = await takeSteps(steps, host);
  const state = await untilSettled(platform, isServing);
  return { state, plan, isChanged: changesFiles(steps), failure };
}

/** Waits until the service serves, or has ended, or long enough. */
export async function untilSettled(
  platform: ServicePlatform,
  isServing?: IsServing,
): Promise<ServiceState> {
  const startedAt = performance.now();
  for (;;) {
    const state = await platform.readState();
    if (await isSettled(state, isServing)) return state;
    if (performance.now() - startedAt > settleMs) return state;
    await delay(settlePauseMs);
  }
}

async function isSettled(
  { condition, lastExit }: ServiceState,
  isServing: IsServing | undefined,
): Promise<boolean> {
  if (condition === 'failed') return true;
  if (condition === 'stopped') return lastExit !== undefined;
  if (condition !== 'running') return isSandboxFailure(lastExit);
  return isServing === undefined || isServing();
}

/**
 * Removes a service: exactly the files that an install has written. Data, settings and other files stay.
 * @returns the command that failed; then what comes after it was not done.
 */
export async function uninstallService(
  platform: ServicePlatform,
  host: ServiceHost,
): Promise<CommandFailure | undefined> {
  const failure = await takeSteps(uninstallSteps(platform), host);
  if (failure !== undefined) return failure;
  for (const directory of platform.ownDirectories) await removeEmpty(directory);
  return undefined;
}
