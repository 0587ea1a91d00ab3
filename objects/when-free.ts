import { setTimeout as delay } from 'node:timers/promises';
import { WaypointError } from '../model/failure.ts';
import { isBusy } from '../storage/objects/rows-store.ts';

/** Commands hold the database for some ms at a time. Clients give up on an upload that is not answered for 30 s. */
const giveUpMs = 20_000;
const shortestPauseMs = 2;
const longestPauseMs = 50;
/** Writes that wait at once. The clients of more of them have left, and others have come. */
const mostWaiting = 256;
let waiting = 0;

/**
 * Does a write of the database, which never stands still: another process that is writing makes it try again.
 * @throws WaypointError unavailable
 */
export async function whenFree<T>(write: () => Promise<T>): Promise<T> {
  const end = performance.now() + giveUpMs;
  for (let pause = shortestPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await write();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > end || waiting >= mostWaiting)
        throw new WaypointError('unavailable', { cause: error });
      waiting += 1;
      await delay(pause);
      waiting -= 1;
    }
  }
}
