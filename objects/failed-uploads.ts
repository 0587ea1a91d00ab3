import type { Clock } from '../model/process.ts';
import { Expiring } from './expiring.ts';

/** Clients send a refused upload again, up to eight times: after this many, the next announcement is refused instead. */
const tries = 2;
const rememberMs = 60_000;
const remembered = 10_000;

/** Remembers which uploads had the wrong content, so that their clients stop. */
export class FailedUploads {
  /** How often. */
  readonly #failures: Expiring<number>;

  constructor(clock: Clock) {
    this.#failures = new Expiring(clock, rememberMs, remembered);
  }

  note(userId: number, repositoryId: number, oid: string): void {
    const key = keyOf(userId, repositoryId, oid);
    this.#failures.set(key, (this.#failures.get(key)?.value ?? 0) + 1);
  }

  forget(userId: number, repositoryId: number, oid: string): void {
    this.#failures.delete(keyOf(userId, repositoryId, oid));
  }

  /** Whether this upload had the wrong content so often that it had better not be tried again. */
  isHopeless(userId: number, repositoryId: number, oid: string): boolean {
    return (this.#failures.get(keyOf(userId, repositoryId, oid))?.value ?? 0) >= tries;
  }
}

function keyOf(userId: number, repositoryId: number, oid: string): string {
  return `${repositoryId} ${oid} ${userId}`;
}
