import { WaypointError } from '../model/failure.ts';
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

/** Counts the bytes that each repository sends and receives, and limits those sent. A crash loses a few seconds of it. */
export class TrafficMeter {
  readonly #holdings: Holdings;
  readonly #clock: Clock;
  readonly #perDay: number;
  readonly #pending = new Map<string, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param perDay bytes that a repository may send a day (UTC); 0 for no limit. */
  constructor(holdings: Holdings, clock: Clock, perDay = 0) {
    this.#holdings = holdings;
    this.#clock = clock;
    this.#perDay = perDay;
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

  /**
   * Counts a download in advance, for other servers to see, so that those at the same time cannot exceed the limit together.
   * @throws WaypointError bandwidth, with nothing counted.
   */
  async reserve(repositoryId: number, bytes: number): Promise<void> {
    if (this.#perDay === 0) return this.add(repositoryId, 'sent', bytes);
    const day = this.#day();
    const hasRoom = await whenFree(() =>
      this.#holdings.reserveTraffic(repositoryId, day, bytes, this.#perDay),
    );
    if (!hasRoom) throw new WaypointError('bandwidth');
  }

  /** Refuses a download for which the limit has no room; counts nothing. @throws WaypointError bandwidth */
  async refuseOverLimit(repositoryId: number, bytes: number): Promise<void> {
    if (this.#perDay === 0) return;
    if ((await this.sentToday(repositoryId)) + bytes > this.#perDay) {
      throw new WaypointError('bandwidth');
    }
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
