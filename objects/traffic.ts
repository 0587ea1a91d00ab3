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
  readonly sent: number;
  readonly received: number;
}

/** Counts the bytes that each repository sends and receives, and limits those sent. A crash loses a few seconds of it. */
export class TrafficMeter {
  readonly #holdings: Holdings;
  readonly #clock: Clock;
  readonly #perDay: number;
  #pending = new Map<string, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #flushed = Promise.resolve();

  /** @param perDay bytes that a repository may send a day (UTC); 0 for no limit. */
  constructor(holdings: Holdings, clock: Clock, perDay = 0) {
    this.#holdings = holdings;
    this.#clock = clock;
    this.#perDay = perDay;
  }

  /** @param bytes negative to take back what was counted in advance. */
  add(repositoryId: number, kind: 'sent' | 'received', bytes: number): void {
    this.#add({ repositoryId, day: this.#day(), sent: 0, received: 0, [kind]: bytes });
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
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
    const { sent } = await this.#holdings.trafficSince(repositoryId, this.#day());
    if (sent + bytes > this.#perDay) throw new WaypointError('bandwidth');
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#flushed = this.#flushed.then(() => this.#write()));
  }

  async #write(): Promise<void> {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const sums of pending.values()) {
      const { repositoryId, day, ...bytes } = sums;
      await whenFree(() => this.#holdings.addTraffic(repositoryId, day, bytes)).catch(
        (error: unknown) => {
          // A repository that was removed meanwhile has no traffic; what a failing disk refuses waits for the next flush.
          if (!breaksConstraint(error)) this.#add(sums);
        },
      );
    }
  }

  #add({ repositoryId, day, sent, received }: Pending): void {
    const key = `${repositoryId} ${day}`;
    const sums = this.#pending.get(key);
    this.#pending.set(key, {
      repositoryId,
      day,
      sent: (sums?.sent ?? 0) + sent,
      received: (sums?.received ?? 0) + received,
    });
  }

  #day(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}
