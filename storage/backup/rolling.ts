import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newestFirst } from '../../model/time.ts';
import { createPrivateDirectory } from '../private-directory.ts';
import { createBackup, type BackupPlaces } from './create.ts';
import { verifyBackup } from './restore.ts';

const keptDays = 7;
const keptWeeks = 4;
const rollingName = /^daily-(\d{4}-\d\d-\d\d)\.tar$/u;
const dayMs = 86_400_000;

/** Names of the rolling backups in a directory, newest first. */
export function rollingBackups(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => rollingName.test(name))
    .toSorted()
    .toReversed();
}

export interface RollOptions {
  readonly places: BackupPlaces;
  readonly directory: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Makes the small backup of today (UTC), without imported files and search history, unless it is there or the user's data
 * is as in the newest one; then keeps those of the newest 7 days and of 4 weeks before.
 */
export async function rollBackups(options: RollOptions): Promise<'made' | 'unchanged'> {
  const { places, directory, version, now } = options;
  createPrivateDirectory(directory);
  // What a stop or a crash has cut off.
  for (const name of readdirSync(directory))
    if (name.startsWith('.daily-')) rmSync(join(directory, name));
  const today = `daily-${new Date(now).toISOString().slice(0, 10)}.tar`;
  const [newest] = rollingBackups(directory).filter((name) => name <= today);
  if (newest === today) return 'unchanged';
  const target = join(directory, today);
  const request = { places, target, version, now, withImports: false, withHistory: false };
  const { store } = await createBackup(request);
  // A damaged one is no reason not to make another.
  const before = newest && (await verifyBackup(join(directory, newest)).catch(() => undefined));
  if (before && store === before.store) {
    rmSync(target);
    return 'unchanged';
  }
  // Opened and checked before an older one may go.
  await verifyBackup(target);
  for (const name of outdated(newestFirst(rollingBackups(directory), today)))
    rmSync(join(directory, name));
  return 'made';
}

/** Backups that are neither of the newest days nor the newest of an earlier week. */
function outdated(names: readonly string[]): string[] {
  const older = names.slice(keptDays);
  const weeks = new Map<number, string>();
  for (const name of older) {
    const day = Date.parse(rollingName.exec(name)?.[1] ?? '') / dayMs;
    // Days since 1970 begin with a Thursday; weeks with a Monday.
    const week = Math.floor((day + 3) / 7);
    if (!weeks.has(week)) weeks.set(week, name);
  }
  const kept = new Set([...weeks.values()].slice(0, keptWeeks));
  return older.filter((name) => !kept.has(name));
}
