import { accessSync, constants } from 'node:fs';
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

function whyNot(what: keyof typeof modes, path: string): string | undefined {
  try {
    accessSync(path, modes[what]);
    return undefined;
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}
