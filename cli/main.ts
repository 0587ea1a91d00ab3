import { sourcePlace } from '../daemon/source-places.ts';
import { nameSources } from '../model/error-description.ts';
import { allCommands } from './commands/all.ts';
import { runProgram } from './program/program.ts';

/** The process exits at the latest this long after a failed start, whatever is still open, ms. */
const graceMs = 1_000;

nameSources(sourcePlace);
void runProgram(allCommands, process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  setTimeout(() => process.exit(), graceMs).unref();
});
