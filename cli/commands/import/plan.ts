import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { absolutePath } from '../../../client/waypoints/node/places.ts';
import { attempt } from '../../../model/attempt.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import type { ImportRequest } from '../../../model/import.ts';
import { forTerminal } from '../../terminal/text.ts';

/** A request names at most so many files: with all 255 bytes of each escaped in JSON, within the API's 1 MiB. */
const filesPerRequest = 600;

/**
 * Turns the paths of a command line into requests: one for each directory, and one for the files of each directory. A
 * link given by name is followed, as its user named it; links found inside are the daemon's business.
 * @throws ExitError when one of them is not there, or several folders have one --into; nothing has been imported then.
 */
export function planImports(
  paths: readonly string[],
  { recursive = false, into }: { readonly recursive?: boolean; readonly into?: string | undefined },
): ImportRequest[] {
  const directories: string[] = [];
  const filesByDirectory = new Map<string, Set<string>>();
  for (const path of paths.flatMap(spelledOut)) {
    // As of an unset variable; it would mean the current directory.
    if (path === '') throw usageError('The path to import is empty.');
    const target = realPath(path);
    if (statSync(target).isDirectory()) {
      if (!directories.includes(target)) directories.push(target);
      continue;
    }
    const files = filesByDirectory.get(dirname(target)) ?? new Set();
    filesByDirectory.set(dirname(target), files.add(basename(target)));
  }
  const place = into === undefined ? {} : { into: checkInto(into) };
  const requests = [
    ...directories.map((dir) => ({ dir, recursive, ...place })),
    ...[...filesByDirectory].flatMap(([dir, files]) =>
      inParts([...files]).map((part) => ({ dir, files: part, ...place })),
    ),
  ];
  // Without --into, files of one name from different folders are kept beside each other.
  if (into === undefined || new Set(requests.map(({ dir }) => dir)).size <= 1) return requests;
  throw usageError(
    'Files of one name would take the place of each other. Nothing was imported: import these folders one after the other, each with its own --into.',
  );
}

/**
 * Expands a pattern of names, or a leading `~`, on Windows, where no shell does. Not with `globSync`: no name there has `*`
 * or `?` in it, but many have brackets, which would then match other files.
 */
function spelledOut(path: string): string[] {
  if (process.platform !== 'win32') return [path];
  const named = path.startsWith('~') ? absolutePath(path, process.cwd()) : path;
  const [directory, pattern] = [dirname(named), basename(named)];
  if (!/[*?]/u.test(pattern)) return [named];
  const text = pattern.replaceAll(/[\\^$.+()[\]{}|]/gu, String.raw`\$&`);
  const wanted = new RegExp(`^${text.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'isu');
  const names = attempt(() => readdirSync(directory))?.filter((name) => wanted.test(name)) ?? [];
  return names.length > 0 ? names.map((name) => join(directory, name)) : [named];
}

function realPath(path: string): string {
  try {
    return realpathSync(resolve(path));
  } catch (cause) {
    throw new ExitError(`There is no ${forTerminal(path)}. Nothing was imported.`, 1, cause);
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
  const starts = [...files.keys()].filter((at) => at % filesPerRequest === 0);
  return starts.map((at) => files.slice(at, at + filesPerRequest));
}
