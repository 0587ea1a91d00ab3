import { setTimeout as delay } from 'node:timers/promises';
import { ExitError } from '../../model/exit-error.ts';
import { createPrivateDirectory } from '../../daemon/paths.ts';
import { probePort } from '../port-probe.ts';
import type { CommandLine, CommandResult, Runner } from './command-line.ts';
import { commandText } from './command-text.ts';
import { isSandboxFailure } from './exit-meaning.ts';
import { changeFiles, compareFiles, installedFiles, removeEmpty } from './service-files.ts';
import type { InstallPlan, ServicePlatform, ServiceState } from './service-platform.ts';

/** What has become of an install. */
export interface Installed {
  readonly state: ServiceState;
  /** The plan that was carried out: the one asked for, or its fallback. */
  readonly plan: InstallPlan;
  readonly isChanged: boolean;
  /** The first command that failed. */
  readonly failure: CommandFailure | undefined;
}

export interface CommandFailure {
  readonly command: CommandLine;
  readonly result: CommandResult;
}

/** Service managers that only take note of an order need a moment to carry it out. */
const settleMs = 10_000;
const settlePauseMs = 200;
const retryPauseMs = 1_000;

/**
 * Installs a service and starts it. Doing it again changes nothing but what is different.
 * @throws ExitError when a foreign file is in the way or a directory cannot be made.
 */
export async function installService(
  platform: ServicePlatform,
  plan: InstallPlan,
  run: Runner,
  port: number | undefined,
): Promise<Installed> {
  const installed = await carryOut(platform, preferInstalled(platform, plan), run, port);
  const { fallback } = installed.plan;
  if (fallback === undefined || !isSandboxFailure(installed.state.lastExit)) return installed;
  return carryOut(platform, fallback, run, port);
}

/** Where the fallback is installed already, trying the other again would only interrupt the service. */
function preferInstalled(platform: ServicePlatform, plan: InstallPlan): InstallPlan {
  const { fallback } = plan;
  if (fallback === undefined) return plan;
  const { written, removed } = compareFiles(platform, fallback);
  return written.length + removed.length === 0 ? fallback : plan;
}

async function carryOut(
  platform: ServicePlatform,
  plan: InstallPlan,
  run: Runner,
  port: number | undefined,
): Promise<Installed> {
  const { isUpdate, ...changes } = compareFiles(platform, plan);
  const isChanged = changes.written.length + changes.removed.length > 0;
  for (const directory of plan.directories) createPrivateDirectory(directory);
  if (isChanged && isUpdate) await runAll(plan.beforeChange, run);
  await changeFiles(changes);
  const failure = await runAll(plan.activate(isChanged), run);
  const temporary = plan.files.filter(({ isTemporary }) => isTemporary === true);
  await changeFiles({ written: [], removed: temporary.map(({ path }) => path) });
  const state = await untilSettled(platform, port);
  return { state, plan, isChanged, failure };
}

/** Waits until the service serves, or has ended, or long enough. */
export async function untilSettled(
  platform: ServicePlatform,
  port: number | undefined,
): Promise<ServiceState> {
  const startedAt = performance.now();
  for (;;) {
    const state = await platform.readState();
    if (await isSettled(state, port)) return state;
    if (performance.now() - startedAt > settleMs) return state;
    await delay(settlePauseMs);
  }
}

async function isSettled(state: ServiceState, port: number | undefined): Promise<boolean> {
  if (state.condition === 'failed') return true;
  if (state.condition === 'stopped') return state.lastExit !== undefined;
  if (state.condition !== 'running') return isSandboxFailure(state.lastExit);
  return port === undefined || (await probePort(port)) === 'waypointd';
}

/**
 * Removes a service: exactly the files that an install has written. Data, settings and whatever a person has added stay.
 * @returns the files removed.
 */
export async function uninstallService(platform: ServicePlatform, run: Runner): Promise<string[]> {
  const removed = installedFiles(platform);
  const { beforeFiles, afterFiles } = platform.uninstall;
  await runOrThrow(beforeFiles, run);
  await changeFiles({ written: [], removed });
  await runOrThrow(afterFiles, run);
  for (const directory of platform.ownDirectories) await removeEmpty(directory);
  return removed;
}

/** @throws ExitError for the first command that fails and may not. */
async function runOrThrow(commands: readonly CommandLine[], run: Runner): Promise<void> {
  const failure = await runAll(commands, run);
  if (failure !== undefined) throw commandError(failure);
}

/**
 * Runs commands one after the other, up to the first that fails and may not.
 * @returns that one.
 */
export async function runAll(
  commands: readonly CommandLine[],
  run: Runner,
): Promise<CommandFailure | undefined> {
  for (const command of commands) {
    let result = await run(command);
    for (let left = (command.tries ?? 1) - 1; result.code !== 0 && left > 0; left -= 1) {
      await delay(retryPauseMs);
      result = await run(command);
    }
    if (result.code !== 0 && command.mayFail !== true) return { command, result };
  }
  return undefined;
}

/** Says which command has failed, and its own words. */
export function commandError({ command, result }: CommandFailure): ExitError {
  const said = `${result.stderr}\n${result.stdout}`.trim().split('\n')[0] ?? '';
  return new ExitError(`This failed: ${commandText(command)}${said === '' ? '' : `\n${said}`}`);
}
