import { setTimeout as delay } from 'node:timers/promises';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';

/** Most work takes less than a second; for the rest twice a second is often enough. */
const firstPauseMs = 20;
const longestPauseMs = 500;

/** Asks, ever less often, until the answer says that the work is over. @param watch is shown all answers before. */
export async function askUntil<T>(
  ask: () => Promise<T>,
  isOver: (answer: T) => boolean,
  watch?: (answer: T) => void,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const answer = await ask();
    if (isOver(answer)) return answer;
    watch?.(answer);
    await delay(pauseMs);
  }
}

/** Asks again as long as the answer is being made: all recordings are read once after each change of them. */
export async function untilMade<T extends object>(ask: () => Promise<T>): Promise<T> {
  const unlessBusy = (error: unknown): undefined => {
    if (!(error instanceof RequestFailure) || error.status !== 429) throw error;
  };
  const isMade = (answer: T | undefined): boolean => answer !== undefined;
  return (await askUntil(() => ask().catch(unlessBusy), isMade))!;
}
