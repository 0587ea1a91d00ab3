import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { errorCode } from '../../model/error-code.ts';

const modes = { read: constants.R_OK, run: constants.X_OK, enter: constants.R_OK | constants.X_OK };

/** Whether this user may do this with what is at a path; false where nothing is. */
export function mayDo(what: keyof typeof modes, path: string): boolean {
  return whyNot(what, path) === undefined;
}

/** Whether something is there that this user may not do this with. */
export function isForbidden(what: keyof typeof modes, path: string): boolean {
  return ['EACCES', 'EPERM'].includes(whyNot(what, path) ?? '');
}

/** Where a program is that may be run, by its path or by looking in PATH; never in the current directory. */
export function findProgram(program: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => isAbsolute(place));
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
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
