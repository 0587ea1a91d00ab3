import { sourcePlace } from '../daemon/source-places.ts';
import { nameSources } from '../model/error-description.ts';
import { allCommands } from './commands/all.ts';
import { runProgram } from './program/program.ts';

/** What a failed start has left open, or unread lines in stderr, must not keep the process longer than this, ms. */
const graceMs = 1_000;

nameSources(sourcePlace);
process.exitCode = await runProgram(allCommands, process.argv.slice(2));
setTimeout(() => process.exit(), graceMs).unref();
