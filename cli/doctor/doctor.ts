import { errorCode } from '../../model/error-code.ts';
import type { CommandContext } from '../program/context.ts';
import { findLockHolder } from '../../daemon/lock-holder.ts';
import type { Paths } from '../../daemon/paths.ts';
import { findLocalService } from '../program/local-service.ts';
import { checkTogether } from '../../daemon/settings.ts';
import { ExitError } from '../../model/exit-error.ts';
import { isForbidden } from '../terminal/access.ts';
import { checkDaemon } from './check-daemon.ts';
import { checkDirectories, checkFiles } from './check-files.ts';
import { checkGeodata } from './check-geodata.ts';
import { checkLocation } from './check-location.ts';
import { checkClock, checkDisk } from './check-machine.ts';
import { checkPort, checkService } from './check-service.ts';
import { checkStores, type StoreCheckOptions } from './check-stores.ts';
import { findingsOf, type Finding } from './finding.ts';

/**
 * Looks at everything that a daemon with these settings needs, and at the daemon if one runs. Changes nothing.
 * @param isThorough checks the databases' indexes as well; `now` is in ms since 1970.
 */
export async function examine(
  { paths, resolved }: Pick<CommandContext, 'paths' | 'resolved'>,
  { isThorough, now }: { readonly isThorough: boolean; readonly now: number },
): Promise<Finding[]> {
  const { settings, sources } = resolved;
  const service = await findLocalService();
  const daemonCheck = await checkDaemon(paths);
  const { daemon, isHeld } = daemonCheck;
  const checks: readonly [area: string, check: Check][] = [
    ['settings', () => checkSettings(settings)],
    ['directories', () => checkDirectories(paths, sources.data_dir !== 'default')],
    ['disk', () => checkDisk(paths)],
    ['files', () => checkFiles(paths)],
    ['stores', () => checkStoresTwice(paths, { isHeld, isThorough })],
    ['daemon', () => daemonCheck.findings],
    ['port', () => checkPort(settings.port, daemon, service)],
    ['service', () => checkService(service)],
    ['geodata', () => checkGeodata(paths.geodata)],
    ['location', () => checkLocation(settings)],
    ['clock', () => checkClock(paths, daemon, now)],
  ];
  const needless = isForbidden('enter', paths.data) ? needOpenData : [];
  const findings: Finding[] = [];
  for (const [area, check] of checks) {
    if (!needless.includes(area)) findings.push(...(await guarded(area, check)));
  }
  return findings;
}

type Check = () => readonly Finding[] | Promise<Finding[]>;

/** Pointless in a data directory that may not be entered: they would repeat that in misleading words. */
const needOpenData: readonly string[] = ['files', 'stores', 'geodata', 'clock'];

/** Reads them again in place when a daemon has begun to write meanwhile: a copy may then hold torn pages. */
async function checkStoresTwice(paths: Paths, options: StoreCheckOptions): Promise<Finding[]> {
  const found = checkStores(paths, options);
  if (options.isHeld || (await findLockHolder(paths)) === undefined) return found;
  return checkStores(paths, { ...options, isHeld: true });
}

/** A check that fails is a finding, and the others still run. */
async function guarded(area: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    return [findingsOf(area).problem(`This could not be looked at (${code})`)];
  }
}

function checkSettings(settings: CommandContext['resolved']['settings']): Finding[] {
  const { ok, problem } = findingsOf('settings');
  try {
    checkTogether(settings);
    return [ok('They can be used')];
  } catch (error) {
    if (error instanceof ExitError) return [problem(error.message)];
    throw error;
  }
}
