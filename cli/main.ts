import { runProgram } from './commands/program.ts';

/** What a failed start has left open, or lines that nobody takes from stderr, must not keep the process, ms. */
const graceMs = 1_000;

process.exitCode = await runProgram(process.argv.slice(2));
setTimeout(() => process.exit(), graceMs).unref();
