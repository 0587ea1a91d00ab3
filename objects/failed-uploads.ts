import type { Clock } from '../model/process.ts';
import { forgetOldest } from './forget-oldest.ts';

/** Clients send a refused upload again, up to eight times: after this many, the next announcement is refused instead. */
const tries = 2;
const rememberMs = 60_000;
const remembered = 10_000;

/** Remembers which uploads had the wrong content, so that their clients stop. */
export class FailedUploads {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { count: number; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(userId: number, repositoryId: number, oid: string): void {
    const key = keyOf(userId, repositoryId, oid);
    const count = (this.#current(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, until: this.#clock.monotonic() + rememberMs });
    forgetOldest(this.#failures, remembered);
  }

  forget(userId: number, repositoryId: number, oid: string): void {
    this.#failures.delete(keyOf(userId, repositoryId, oid));
  }

  /** Whether this upload had the wrong content so often that it had better not be tried again. */
  isHopeless(userId: number, repositoryId: number, oid: string): boolean {
    const failure = this.#current(keyOf(userId, repositoryId, oid));
    return failure !== undefined && failure.count >= tries;
  }

  #current(key: string): { count: number } | undefined {
    const failure = this.#failures.get(key);
    if (failure === undefined || failure.until > this.#clock.monotonic()) return failure;
    this.#failures.delete(key);
    return undefined;
  }
}

function keyOf(userId: number, repositoryId: number, oid: string): string {
  return `${repositoryId} ${oid} ${userId}`;
}
