import { extname, join } from 'node:path';

/**
 * The file of a program below test/programs, to be run by Node.js: `npm test` has bundled it, in a folder beside the one
 * that this module is bundled into.
 */
export function testProgram(name: string): string {
  const { filename } = import.meta;
  const ending = extname(filename);
  const folder = ending === '.js' ? join(filename, '../../test') : join(filename, '../..');
  return join(folder, 'programs', `${name}${ending}`);
}
