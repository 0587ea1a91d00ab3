/**
 * Imported for what it does, before anything that asks for the home directory while it is loaded (env-paths does). A
 * user without an account entry, as of some containers and services, has none, and Node.js then throws; an empty HOME
 * would make every path relative. `/nonexistent` is what system accounts without a home have: whatever is to be made
 * below it is refused with a sentence that names the path.
 */
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { attempt } from '../model/attempt.ts';

const nowhere = '/nonexistent';

function hasHome(): boolean {
  return isAbsolute(attempt(homedir) ?? '');
}

if (!hasHome()) {
  // Without the variable the account's entry is asked.
  delete process.env['HOME'];
  if (!hasHome()) process.env['HOME'] = nowhere;
}
