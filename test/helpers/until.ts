import { setTimeout as delay } from 'node:timers/promises';

/** Long enough to leave the processor to what is waited for, short enough that nobody waits for us, ms. */
const pauseMs = 3;

/** Waits for something that only others can bring about: looks at it, and again after a pause. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(pauseMs);
}

/** As `until`: asks until the answer is as wanted, and gives that. */
export async function answerWhen<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await delay(pauseMs);
  }
}
