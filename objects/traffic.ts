import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../model/process.ts';
import type { Holdings } from '../storage/objects/holdings.ts';
import { isBusy } from '../storage/objects/open.ts';

/** Counts wait this long before they are written: a commit for each small object would cost more than sending it. */
const flushMs = 5_000;
const dayMs = 86_400_000;
/** Another process may hold the database for its moment. */
const busyTries = 100;
const busyPauseMs = 50;

/** Does a write of the database, which never stands still: another process that is writing makes it try again. */
export async function whenFree<T>(write: () => T): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return write();
    } catch (error) {
      if (!isBusy(error) || attempt === busyTries) throw error;
      await delay(busyPauseMs);
    }
  }
}

/** Counts the bytes that each repository sends and receives. What a crash loses of it is a few seconds. */
export class TrafficMeter {
  readonly #holdings: Holdings;
  readonly #clock: Clock;
  #pending = new Map<number, { sent: number; received: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(holdings: Holdings, clock: Clock) {
    this.#holdings = holdings;
    this.#clock = clock;
  }

  add(repositoryId: number, kind: 'sent' | 'received', bytes: number): void {
    const sums = this.#pending.get(repositoryId) ?? { sent: 0, received: 0 };
    sums[kind] += bytes;
    this.#pending.set(repositoryId, sums);
    this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), flushMs).unref();
  }

  /** Bytes that a repository has sent since the day (UTC) began. */
  sentToday(repositoryId: number): number {
    const { sent } = this.#holdings.trafficSince(repositoryId, this.#day());
    return sent + (this.#pending.get(repositoryId)?.sent ?? 0);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [repositoryId, sums] of pending) {
      // A repository that was removed meanwhile has no traffic.
      await whenFree(() => this.#holdings.addTraffic(repositoryId, this.#day(), sums)).catch(
        () => undefined,
      );
    }
  }

  #day(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}
