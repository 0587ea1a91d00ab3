import type { Clock } from '../model/process.ts';
import type { Holdings } from '../storage/objects/holdings.ts';
import { breaksConstraint } from '../storage/objects/rows-store.ts';
import { whenFree } from './when-free.ts';

/** Counts wait this long before they are written: a commit for each small object would cost more than sending it. */
const flushMs = 5_000;
const dayMs = 86_400_000;

interface Pending {
  readonly repositoryId: number;
  /** UTC, since 1970. */
  readonly day: number;
  sent: number;
  received: number;
}

/** Counts the bytes that each repository sends and receives. What a crash loses of it is a few seconds. */
export class TrafficMeter {
  readonly #holdings: Holdings;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(holdings: Holdings, clock: Clock) {
    this.#holdings = holdings;
    this.#clock = clock;
  }

  /** @param bytes negative to take back what was counted in advance. */
  add(repositoryId: number, kind: 'sent' | 'received', bytes: number): void {
    const day = this.#day();
    const key = keyOf(repositoryId, day);
    const sums = this.#pending.get(key) ?? { repositoryId, day, sent: 0, received: 0 };
    sums[kind] += bytes;
    this.#pending.set(key, sums);
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Bytes that a repository has sent since the day (UTC) began. */
  sentToday(repositoryId: number): Promise<number> {
    return this.#inTurn(async () => {
      const day = this.#day();
      const { sent } = await this.#holdings.trafficSince(repositoryId, day);
      return sent + (this.#pending.get(keyOf(repositoryId, day))?.sent ?? 0);
    });
  }

  /** Counts bytes as sent where the day's limit has room for them, at once, for other servers to see. @returns whether it has. */
  reserve(repositoryId: number, bytes: number, limit: number): Promise<boolean> {
    return whenFree(() => this.#holdings.reserveTraffic(repositoryId, this.#day(), bytes, limit));
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const key of this.#pending.keys()) {
      await whenFree(() => this.#inTurn(() => this.#write(key))).catch((error: unknown) => {
        // A repository that was removed meanwhile has no traffic; what a failing disk refuses waits for the next flush.
        if (breaksConstraint(error)) this.#pending.delete(key);
      });
    }
  }

  async #write(key: string): Promise<void> {
    const sums = this.#pending.get(key);
    if (sums === undefined) return;
    const { repositoryId, day, sent, received } = sums;
    await this.#holdings.addTraffic(repositoryId, day, { sent, received });
    // More may have come meanwhile.
    sums.sent -= sent;
    sums.received -= received;
    if (sums.sent === 0 && sums.received === 0) this.#pending.delete(key);
  }

  /** Reads and writes one at a time: between them, each byte is either written or pending, never both. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const ended = this.#last.then(step);
    this.#last = ended.catch(() => undefined);
    return ended;
  }

  #day(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}

function keyOf(repositoryId: number, day: number): string {
  return `${repositoryId} ${day}`;
}
