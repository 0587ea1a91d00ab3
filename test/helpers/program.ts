import { join } from 'node:path';

/** The file of a program below test/programs, to be run by Node.js. */
export function testProgram(name: string): string {
  return join(import.meta.dirname, '..', 'programs', `${name}.ts`);
}
