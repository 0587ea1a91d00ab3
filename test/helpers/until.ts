import { setTimeout as delay } from 'node:timers/promises';

/** Of what it waits for, nobody waits longer than this for us, ms. */
const [leastMs, mostMs] = [3, 50];

/**
 * Waits for something that only others can bring about: looks at it, and again after a pause, a sixteenth of the time so
 * far. Most looks are requests: one every few milliseconds took the processor from what was waited for.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await answerWhen(isSo, (answer) => answer);
}

/** As `until`: asks until the answer is as wanted, and gives that. */
export async function answerWhen<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean) {
  const begin = performance.now();
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await delay(Math.min(mostMs, Math.max(leastMs, (performance.now() - begin) / 16)));
  }
}
