import { createHash } from 'node:crypto';
import { readKeptPlaces } from '../../model/geocode.ts';
import type { Clock } from '../../model/process.ts';
import type { Suggestion } from '../../model/search.ts';
import type { GeocodeCache } from '../../storage/geocode-cache.ts';

const dayMs = 24 * 3_600_000;
const foundForMs = 30 * dayMs;
const notFoundForMs = dayMs;
/** Answers kept in memory, some 3 KB each: what is being typed, also where nothing can be written to the disk. */
const maxInMemory = 256;

interface Answer {
  readonly places: readonly Suggestion[];
  /** ms since 1970. */
  readonly expires: number;
}

/** Cached answers of one geocoding server: found places for 30 days, empty answers for one. */
export class KnownAnswers {
  readonly #cache: GeocodeCache;
  readonly #clock: Clock;
  readonly #server: string;
  readonly #memory = new Map<string, Answer>();

  /** @param server Which one, so that another one's answers are not taken for its. */
  constructor(cache: GeocodeCache, clock: Clock, server: string) {
    this.#cache = cache;
    this.#clock = clock;
    this.#server = server;
  }

  get(text: string): readonly Suggestion[] | undefined {
    const inMemory = this.#memory.get(text);
    if (inMemory !== undefined && inMemory.expires > this.#clock.now()) return inMemory.places;
    const kept = this.#cache.get(this.#keyOf(text));
    const places = kept === undefined ? undefined : readKeptPlaces(kept.answer);
    if (kept === undefined || places === undefined) return undefined;
    this.#remember(text, { places, expires: kept.expires });
    return places;
  }

  put(text: string, places: readonly Suggestion[]): void {
    const expires = this.#clock.now() + (places.length > 0 ? foundForMs : notFoundForMs);
    this.#remember(text, { places, expires });
    this.#cache.put({ key: this.#keyOf(text), answer: JSON.stringify(places), expires });
  }

  close(): void {
    this.#memory.clear();
    this.#cache.close();
  }

  #remember(text: string, answer: Answer): void {
    this.#memory.delete(text);
    this.#memory.set(text, answer);
    const [oldest] = this.#memory.keys();
    if (this.#memory.size > maxInMemory && oldest !== undefined) this.#memory.delete(oldest);
  }

  /** A hash, so that the file does not hold what was typed. */
  #keyOf(text: string): Uint8Array {
    return createHash('sha256').update(`${this.#server}\0${text}`).digest();
  }
}
