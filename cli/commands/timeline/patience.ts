import { RequestFailure } from '../../../client/waypoints/request-failure.ts';
import { askUntil } from '../../program/polling.ts';

/** Asks again as long as the answer is being made: all recordings are read once after each change of them. */
export async function untilMade<T>(ask: () => Promise<T>): Promise<T> {
  const answer = await askUntil(
    () => ask().catch(busyOr),
    (found) => found !== busy,
  );
  // Sound: that is what it was asked until.
  return answer as T;
}

const busy = Symbol('busy');

function busyOr(error: unknown): typeof busy {
  if (error instanceof RequestFailure && error.status === 429) return busy;
  throw error;
}
