import { readFileSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../model/error-code.ts';
import { ExitError } from '../model/exit-error.ts';
import { runCommands, type CommandFailure, type CommandLine } from './command-line.ts';
import { isSandboxFailure } from './service-exit.ts';
import type {
  InstallPlan,
  ServiceFile,
  ServicePlatform,
  ServiceState,
  ServiceHost,
} from './service-platform.ts';
import { marker, plainText } from './service-program.ts';

/** One step of an install or uninstall, as data: it can be shown and taken. */
export type Step =
  | { readonly make: string }
  | { readonly write: ServiceFile }
  | { readonly remove: string }
  | { readonly run: CommandLine };

/**
 * The steps that lead from the disk as it is to a plan.
 * @throws ExitError when a file is in the way that `service install` has not written.
 */
export function installSteps({ ownFiles }: ServicePlatform, plan: InstallPlan): Step[] {
  const present = new Map(ownFiles.map((path) => [path, readText(path)]));
  for (const [path, text] of present) {
    if (text === undefined || isOurs(text)) continue;
    throw new ExitError(
      `${path} was not written by "waypointd service install". Move it away first; nothing was changed.`,
    );
  }
  const there = ownFiles.filter((path) => present.get(path) !== undefined);
  const planned = plan.files.map(({ path }) => path);
  const changes: Step[] = [
    ...plan.files
      .filter(({ path, text }) => present.get(path) !== text)
      .map((write) => ({ write })),
    ...there.filter((path) => !planned.includes(path)).map((remove) => ({ remove })),
  ];
  const isUpdate = changes.length > 0 && there.length > 0;
  return [
    ...plan.directories.map((make) => ({ make })),
    ...(isUpdate ? plan.beforeChange.map((run) => ({ run })) : []),
    ...changes,
    ...plan.activate(changes.length > 0).map((run) => ({ run })),
  ];
}

/** The steps that remove exactly what an install has written. */
export function uninstallSteps(platform: ServicePlatform): Step[] {
  const { beforeFiles, afterFiles } = platform.uninstall;
  return [
    ...beforeFiles.map((run) => ({ run })),
    ...installedFiles(platform).map((remove) => ({ remove })),
    ...afterFiles.map((run) => ({ run })),
  ];
}

function changesFiles(steps: readonly Step[]): boolean {
  return steps.some((step) => 'write' in step || 'remove' in step);
}

/**
 * Takes steps one after the other, up to the first command that fails and may not. Temporary files are gone afterwards.
 * @returns the command that failed.
 */
async function takeSteps(
  steps: readonly Step[],
  host: ServiceHost,
): Promise<CommandFailure | undefined> {
  const temporary: string[] = [];
  try {
    for (const step of steps) {
      if ('make' in step) host.makeDirectory(step.make);
      else if ('remove' in step) await removeFile(step.remove);
      else if ('write' in step) {
        if (step.write.isTemporary === true) temporary.push(step.write.path);
        await writeServiceFile(step.write, host);
      } else {
        const failure = await runCommands([step.run], host.run);
        if (failure !== undefined) return failure;
      }
    }
    return undefined;
  } finally {
    for (const path of temporary) await removeFile(path);
  }
}

async function writeServiceFile({ path, text, encoding }: ServiceFile, host: ServiceHost) {
  await mkdir(dirname(path), { recursive: true });
  const data = encoding === 'utf16le' ? Buffer.from(`\uFEFF${text}`, encoding) : text;
  // Readable: a service file holds no secret, and people look at it with the manager's own tools.
  await host.writeFile(path, data, { mode: 0o644 });
}

async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  // The directory of drop-ins, unless something else is in it; the managers' own directories are left.
  if (path.endsWith('.conf')) await removeEmpty(dirname(path));
}

async function removeEmpty(directory: string): Promise<void> {
  // Not empty, or not there: both are fine.
  await rmdir(directory).catch(() => undefined);
}

/** The files of an earlier install; a file of another origin under one of their names stays. */
export function installedFiles({ ownFiles }: ServicePlatform): string[] {
  return ownFiles.filter((path) => {
    const text = readText(path);
    return text !== undefined && isOurs(text);
  });
}

/** The Node.js that the file of an installed service names; undefined where its manager keeps no file. */
export function installedNode(platform: ServicePlatform): string | undefined {
  const texts = installedFiles(platform).map((path) => readText(path) ?? '');
  const [, unit, list] = nodeInFile.exec(texts.join('\n')) ?? [];
  return unit?.replaceAll('%%', '%') ?? (list && plainText(list));
}

/** The first word of the command in a unit of systemd, or in a property list of launchd. */
const nodeInFile =
  /^ExecStart="([^"]*)"|<key>ProgramArguments<\/key>\s*<array>\s*<string>([^<]*)/mu;

/** The first lines have it; longer files are not ours. */
function isOurs(text: string): boolean {
  return text.slice(0, 500).includes(marker);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ExitError(`${path} cannot be read (${code ?? 'unknown'}).`, 1, error);
  }
}

/** Tells whether a service that runs answers; without it, to run is enough. */
export type IsServing = () => Promise<boolean>;

/** Service managers that only take note of an order need a moment to carry it out. */
const settleMs = 10_000;
const settlePauseMs = 200;

/**
 * Installs a service and starts it. Doing it again changes nothing but what is different.
 * @returns also the plan that was carried out: the one asked for, or its fallback.
 * @throws ExitError when a foreign file is in the way; errors of the file system.
 */
export async function installService(
  platform: ServicePlatform,
  plan: InstallPlan,
  isServing?: IsServing,
) {
  const { fallback } = plan;
  // Where the fallback is installed already, trying the other again would only interrupt the service.
  const isFallback = fallback !== undefined && !changesFiles(installSteps(platform, fallback));
  const installed = await carryOut(platform, isFallback ? fallback : plan, isServing);
  if (isFallback || fallback === undefined) return installed;
  if (!isSandboxFailure(installed.state.lastExit)) return installed;
  return carryOut(platform, fallback, isServing);
}

async function carryOut(
  platform: ServicePlatform,
  plan: InstallPlan,
  isServing: IsServing | undefined,
) {
  const steps = installSteps(platform, plan);
  const failure = await takeSteps(steps, platform.host);
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
): Promise<CommandFailure | undefined> {
  const failure = await takeSteps(uninstallSteps(platform), platform.host);
  if (failure !== undefined) return failure;
  for (const directory of platform.ownDirectories) await removeEmpty(directory);
  return undefined;
}
