import { setTimeout as delay } from 'node:timers/promises';
import { WaypointError } from '../model/failure.ts';
import { isBusy } from '../storage/objects/rows-store.ts';

/** Commands hold the database for some ms at a time. Clients give up on an upload that is not answered for 30 s. */
const giveUpMs = 20_000;
const pauseMs = 10;
/** Writes that wait at once. The clients of more of them have left, and others have come. */
const mostWaiting = 256;
let waiting = 0;
/** Ends with the last of those that wait. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Does a write of the database, which never stands still: another process that is writing makes it wait. Of those that wait
 * only the first tries again.
 * @throws WaypointError unavailable
 */
export async function whenFree<T>(write: () => Promise<T>): Promise<T> {
  const end = performance.now() + giveUpMs;
  try {
    return await write();
  } catch (error) {
    if (!isBusy(error)) throw error;
    const unavailable = new WaypointError('unavailable', { cause: error });
    if (waiting >= mostWaiting) throw unavailable;
    waiting += 1;
    const turn = last.then(() => writeUntil(end, write, unavailable));
    last = turn.catch(() => {}).finally(() => (waiting -= 1));
    return turn;
  }
}

async function writeUntil<T>(end: number, write: () => Promise<T>, late: Error): Promise<T> {
  for (; performance.now() < end; await delay(pauseMs)) {
    try {
      return await write();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  throw late;
}
