import type { Clock } from '../model/process.ts';

/** Made by {@link expiring}. */
export type Expiring<Value> = ReturnType<typeof expiring<Value>>;

/**
 * Values by name that expire. Above the largest number of names the oldest is dropped: a flood of new ones must not wipe out
 * all others at once.
 */
export function expiring<Value>(clock: Clock, lifeMs: number, most: number) {
  const known = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    /** @returns the value and until when it counts (monotonic ms); undefined once that is over. */
    get(name: string) {
      const found = known.get(name);
      if (found === undefined || found.until > clock.monotonic()) return found;
      known.delete(name);
      return undefined;
    },
    set(name: string, value: Value): void {
      known.delete(name);
      known.set(name, { value, until: clock.monotonic() + lifeMs });
      if (known.size > most) known.delete(known.keys().next().value!);
    },
    delete: (name: string) => known.delete(name),
  };
}
