import { readFileSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { marker } from '../../service-files/service-program.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { InstallPlan, ServiceFile, ServicePlatform } from './service-platform.ts';

/** What an install or uninstall changes, as the disk is now. */
export interface FileChanges {
  readonly written: readonly ServiceFile[];
  /** Of an earlier install. */
  readonly removed: readonly string[];
  /** Whether any file of an earlier install is there. */
  readonly isUpdate: boolean;
}

/**
 * Compares a plan with the disk.
 * @throws ExitError when a file is in the way that `service install` has not written.
 */
export function compareFiles({ ownFiles }: ServicePlatform, plan: InstallPlan): FileChanges {
  const present = new Map(ownFiles.map((path) => [path, readText(path)]));
  for (const [path, text] of present) {
    if (text === undefined || isOurs(text)) continue;
    throw new ExitError(
      `${path} was not written by "waypointd service install". Move it away first; nothing was changed.`,
    );
  }
  const there = ownFiles.filter((path) => present.get(path) !== undefined);
  return {
    written: plan.files.filter(({ path, text }) => present.get(path) !== text),
    removed: there.filter((path) => !plan.files.some((file) => file.path === path)),
    isUpdate: there.length > 0,
  };
}

/** The files of an earlier install; whatever else has one of their names stays. */
export function installedFiles({ ownFiles }: ServicePlatform): string[] {
  return ownFiles.filter((path) => {
    const text = readText(path);
    return text !== undefined && isOurs(text);
  });
}

/** Makes the changes, each file whole or not at all. */
export async function changeFiles(changes: Omit<FileChanges, 'isUpdate'>): Promise<void> {
  for (const { path, text, encoding } of changes.written) {
    await mkdir(dirname(path), { recursive: true });
    const data = encoding === 'utf16le' ? Buffer.from(`\uFEFF${text}`, encoding) : text;
    // Readable: a service file holds no secret, and people look at it with the manager's own tools.
    await writeFileAtomic(path, data, { mode: 0o644 });
  }
  for (const path of changes.removed) {
    await rm(path, { force: true });
    // The directory of drop-ins, unless something else is in it; the managers' own directories are left.
    if (path.endsWith('.conf')) await removeEmpty(dirname(path));
  }
}

/** Removes a directory if nothing is in it. */
export async function removeEmpty(directory: string): Promise<void> {
  // Not empty, or not there: both are fine.
  await rmdir(directory).catch(() => undefined);
}

/** The first lines have it; longer files are not ours. */
function isOurs(text: string): boolean {
  return text.slice(0, 500).includes(marker);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw new ExitError(`${path} cannot be read (${errorCode(error) ?? 'unknown'}).`, 1, error);
  }
}
