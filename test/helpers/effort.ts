import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** Of the usual repetitions, how many a plain `npm test` does: two minutes for all tests. `TEST_EFFORT=1 npm test` does all. */
const plain = 0.1;

const asked = Number(process.env['TEST_EFFORT'] ?? plain);
const effort = asked > 0 ? asked : plain;

/**
 * How often a test that gets surer with repetition repeats itself: `usual` times with TEST_EFFORT=1, more where that asks
 * for a multiple (the workflow does, every night), and a part of that in a plain `npm test`.
 * @param least below which it would show nothing
 */
export function rounds(usual: number, least = 1): number {
  return Math.max(least, Math.round(usual * effort));
}

/** Of all that a test walks through (every byte of a file, say) what it takes: all with TEST_EFFORT=1, else each so-manieth. */
export function isTaken(index: number): boolean {
  return index % Math.max(1, Math.round(1 / effort)) === 0;
}

/** First seed of a run. ava.config.js draws and prints another one for each; `TEST_SEED=N npm test` repeats a run. */
const firstSeed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
fc.configureGlobal({ seed: firstSeed, reporter: report });

/** Prints the values that broke a property: of a failed assertion inside it, ava shows the assertion alone. */
function report(run: fc.RunDetails<unknown>): void {
  const message = fc.defaultReportMessage(run);
  if (message === undefined) return;
  console.error(message);
  throw new Error(message, { cause: run.errorInstance });
}

/** The seeds of a test that draws `rounds(usual)` times. */
export function seeds(usual: number): number[] {
  return Array.from({ length: rounds(usual) }, (_, index) => firstSeed + index);
}
