import { runProgram } from './commands/program.ts';

/** What a failed start has left open must not keep the process, ms. */
const failureGraceMs = 1_000;

process.exitCode = await runProgram(process.argv.slice(2));
if (process.exitCode !== 0) setTimeout(() => process.exit(), failureGraceMs).unref();
