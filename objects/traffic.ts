import type { Clock } from '../model/process.ts';
import type { Holdings } from '../storage/objects/holdings.ts';
import { whenFree } from './when-free.ts';

/** Counts wait this long before they are written: a commit for each small object would cost more than sending it. */
const flushMs = 5_000;
const dayMs = 86_400_000;

/** Counts the bytes that each repository sends and receives. What a crash loses of it is a few seconds. */
export class TrafficMeter {
  readonly #holdings: Holdings;
  readonly #clock: Clock;
  readonly #pending = new Map<number, { sent: number; received: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(holdings: Holdings, clock: Clock) {
    this.#holdings = holdings;
    this.#clock = clock;
  }

  /** @param bytes negative to take back what was counted in advance. */
  add(repositoryId: number, kind: 'sent' | 'received', bytes: number): void {
    const sums = this.#pending.get(repositoryId) ?? { sent: 0, received: 0 };
    sums[kind] += bytes;
    this.#pending.set(repositoryId, sums);
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Bytes that a repository has sent since the day (UTC) began. */
  sentToday(repositoryId: number): number {
    const { sent } = this.#holdings.trafficSince(repositoryId, this.#day());
    return sent + (this.#pending.get(repositoryId)?.sent ?? 0);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const repositoryId of this.#pending.keys()) {
      // A repository that was removed meanwhile has no traffic, and a full disk is told to those who upload.
      await whenFree(() => this.#write(repositoryId)).catch(() =>
        this.#pending.delete(repositoryId),
      );
    }
  }

  #write(repositoryId: number): void {
    const sums = this.#pending.get(repositoryId);
    if (sums === undefined) return;
    this.#holdings.addTraffic(repositoryId, this.#day(), sums);
    // After the write, so that a limit sees every byte at every moment.
    this.#pending.delete(repositoryId);
  }

  #day(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}
