import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { ExitError } from '../../model/exit-error.ts';
import { forTerminal } from './text.ts';

const modes = { read: constants.R_OK, run: constants.X_OK, enter: constants.R_OK | constants.X_OK };

/** Whether this user may do this with what is at a path; false where nothing is. */
export function mayDo(what: keyof typeof modes, path: string): boolean {
  return whyNot(what, path) === undefined;
}

/** Whether something is there that this user may not do this with. */
export function isForbidden(what: keyof typeof modes, path: string): boolean {
  return ['EACCES', 'EPERM'].includes(whyNot(what, path) ?? '');
}

/** Whether a path is a directory or leads below it. */
export function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || !/^(?:\.\.(?:$|[\\/])|[\\/]|[A-Za-z]:)/u.test(way);
}

/** Where a program is that may be run, by its path or by looking in PATH; never in the current directory. */
export function findProgram(program: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => isAbsolute(place));
  // Node.js starts only these on Windows without a shell.
  const isNamed = process.platform !== 'win32' || /\.(?:com|exe)$/iu.test(program);
  const endings = isNamed ? [''] : ['.com', '.exe'];
  const candidates = isAbsolute(program) ? [program] : places.map((place) => join(place, program));
  return candidates
    .flatMap((path) => endings.map((ending) => path + ending))
    .find((path) => mayDo('run', path));
}

function whyNot(what: keyof typeof modes, path: string): string | undefined {
  try {
    accessSync(path, modes[what]);
    return undefined;
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its directory is not one',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  EFBIG: 'it would be too large for the file system',
  EDQUOT: 'your disk quota is used up',
};

/** Turns a failed write of the user's file into a sentence; an error about another file is returned as it is. */
export function notWritten(file: string, error: unknown): unknown {
  const { code = '', path = file } = error as NodeJS.ErrnoException;
  const reason = dirname(resolve(path)) === dirname(resolve(file)) ? fileProblems[code] : undefined;
  if (reason === undefined) return error;
  return new ExitError(`${forTerminal(file)} was not written: ${reason}.`, 1, error);
}
