import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { ImportRequest } from '../../model/import.ts';
import { CliError, usageError } from './cli-error.ts';
import { forTerminal } from './table.ts';

/** A request names at most so many files, well within the API's limits of 10,000 and 1 MiB. */
const filesPerRequest = 1_000;
const namesBytesPerRequest = 524_288;

/**
 * Turns the paths of a command line into requests: one for each directory, and one for the files of each directory. A
 * link given by name is followed, as its user named it; links found inside are the daemon's business.
 * @throws CliError when one of them is not there; nothing has been imported then.
 */
export function planImports(
  paths: readonly string[],
  { recursive = false, into }: { readonly recursive?: boolean; readonly into?: string | undefined },
): ImportRequest[] {
  const directories: string[] = [];
  const filesByDirectory = new Map<string, Set<string>>();
  for (const path of paths) {
    const target = realPath(path);
    if (statSync(target).isDirectory()) {
      if (!directories.includes(target)) directories.push(target);
      continue;
    }
    const files = filesByDirectory.get(dirname(target)) ?? new Set();
    filesByDirectory.set(dirname(target), files.add(basename(target)));
  }
  refuseHomonyms(filesByDirectory);
  const place = into === undefined ? {} : { into: checkInto(into) };
  return [
    ...directories.map((dir) => ({ dir, recursive, ...place })),
    ...[...filesByDirectory].flatMap(([dir, files]) =>
      inParts([...files]).map((part) => ({ dir, files: part, ...place })),
    ),
  ];
}

function realPath(path: string): string {
  try {
    return realpathSync(resolve(path));
  } catch (cause) {
    throw new CliError(`There is no ${forTerminal(path)}. Nothing was imported.`, 1, cause);
  }
}

/**
 * Copies are kept by their path relative to the directory, so of two `day1.gpx` from different directories the second
 * would replace the first.
 */
function refuseHomonyms(filesByDirectory: ReadonlyMap<string, ReadonlySet<string>>): void {
  const seen = new Set<string>();
  for (const files of filesByDirectory.values()) {
    for (const file of files) {
      if (seen.has(file)) {
        throw usageError(
          `Two of these files are called ${forTerminal(file)}, and the second would take the place of the first. Import them one after the other, each with its own --into.`,
        );
      }
      seen.add(file);
    }
  }
}

function checkInto(into: string): string {
  const parts = into.split(/[/\\]/u).filter((part) => part !== '');
  if (parts.length === 0 || parts.includes('..') || /^[/\\]/u.test(into)) {
    throw usageError('--into is a folder name such as "2024/spain", without .. and not absolute.');
  }
  return parts.join('/');
}

function inParts(files: readonly string[]): string[][] {
  const parts: string[][] = [];
  let bytes = 0;
  for (const file of files) {
    const added = Buffer.byteLength(JSON.stringify(file)) + 1;
    const last = parts.at(-1);
    if (
      last !== undefined &&
      last.length < filesPerRequest &&
      bytes + added <= namesBytesPerRequest
    ) {
      last.push(file);
      bytes += added;
    } else {
      parts.push([file]);
      bytes = added;
    }
  }
  return parts;
}
