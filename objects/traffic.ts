import type { Clock } from '../model/process.ts';
import type { Holdings } from '../storage/objects/holdings.ts';
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
  async sentToday(repositoryId: number): Promise<number> {
    const day = this.#day();
    const pending = (): number => this.#pending.get(keyOf(repositoryId, day))?.sent ?? 0;
    const before = pending();
    const { sent } = await this.#holdings.trafficSince(repositoryId, day);
    // What was written meanwhile may be in neither of the two: rather count it twice.
    return sent + Math.max(before, pending());
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const key of this.#pending.keys()) {
      // A repository that was removed meanwhile has no traffic, and a full disk is told to those who upload.
      await whenFree(() => this.#write(key)).catch(() => this.#pending.delete(key));
    }
  }

  async #write(key: string): Promise<void> {
    const sums = this.#pending.get(key);
    if (sums === undefined) return;
    const { repositoryId, day, sent, received } = sums;
    await this.#holdings.addTraffic(repositoryId, day, { sent, received });
    // After the write, so that a limit sees every byte at every moment; more may have come meanwhile.
    sums.sent -= sent;
    sums.received -= received;
    if (sums.sent === 0 && sums.received === 0) this.#pending.delete(key);
  }

  #day(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}

function keyOf(repositoryId: number, day: number): string {
  return `${repositoryId} ${day}`;
}
