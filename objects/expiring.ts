import type { Clock } from '../model/process.ts';

/**
 * Values by name that expire. Above the largest number of names the oldest is dropped: a flood of new ones must not wipe out
 * all others at once.
 */
export class Expiring<Value> {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #most: number;
  readonly #known = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(clock: Clock, lifeMs: number, most: number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
    this.#most = most;
  }

  /** @returns the value and until when it counts (monotonic ms); undefined once that is over. */
  get(name: string): { readonly value: Value; readonly until: number } | undefined {
    const known = this.#known.get(name);
    if (known === undefined || known.until > this.#clock.monotonic()) return known;
    this.#known.delete(name);
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#known.delete(name);
    this.#known.set(name, { value, until: this.#clock.monotonic() + this.#lifeMs });
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value!);
  }

  delete(name: string): void {
    this.#known.delete(name);
  }
}
