import { setTimeout as delay } from 'node:timers/promises';
import { WaypointError } from '../model/failure.ts';
import { isBusy } from '../storage/objects/rows-store.ts';

/** Clients give up on an upload that is not answered for 30 s; commands hold the database for some ms at a time. */
const giveUpMs = 20_000;
const pauseMs = 10;
/** Most writes that wait; the last of more would come too late for its client. */
const mostWaiting = 256;
let waiting = 0;

/**
 * Runs a write of the database, and again while another process is writing: every 10 ms, the more of them wait the less
 * often. The event loop is never blocked.
 * @throws WaypointError unavailable when too many wait, or after 20 s.
 */
export async function whenFree<T>(write: () => Promise<T>): Promise<T> {
  const end = performance.now() + giveUpMs;
  let isWaiting = false;
  try {
    for (;;) {
      try {
        return await write();
      } catch (cause) {
        if (!isBusy(cause)) throw cause;
        const isLate = performance.now() >= end || (!isWaiting && waiting >= mostWaiting);
        if (isLate) throw new WaypointError('unavailable', { cause });
      }
      if (!isWaiting) waiting += 1;
      isWaiting = true;
      await delay(pauseMs + waiting);
    }
  } finally {
    if (isWaiting) waiting -= 1;
  }
}
