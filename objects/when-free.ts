import { setTimeout as delay } from 'node:timers/promises';
import { WaypointError } from '../model/failure.ts';
import { isBusy } from '../storage/objects/rows-store.ts';

/** Clients give up on an upload that is not answered for 30 s; commands hold the database for some ms at a time. */
const giveUpMs = 20_000;
const pauseMs = 10;
/** Most writes in the queue; by the end of a longer one its clients would have given up. */
const mostWaiting = 256;
let waiting = 0;
/** The end of the queue. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a write of the database. While another process is writing it waits in a queue, whose first entry tries again every
 * 10 ms; the event loop is never blocked.
 * @throws WaypointError unavailable when the queue is full, or after 20 s.
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
