import type { Generations } from '../../geodata/generations.ts';
import type { PlaceSearch } from '../../geodata/place-search.ts';
import { describeError } from '../../model/error-description.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { Suggestion } from '../../model/search.ts';
import type { GeocodeAnswer, Geocoder } from '../geocoders/geocoder.ts';

export interface OfflinePlacesOptions {
  readonly generations: Generations;
  readonly clock: Clock;
  readonly log: Log;
  /** The file is closed after so long without a search. */
  readonly idleMs?: number;
}

const usualIdleMs = 60_000;
/** Places beside which names that are a letter off are looked for. */
const fewResults = 5;
/** The pause after a search that failed. */
const pauseMs = 60_000;
const nothing: GeocodeAnswer = { places: [] };

/** Finds places of the generation in use, without a network. Its file is open only during searches and shortly after. */
export class OfflinePlaces implements Geocoder {
  readonly #options: OfflinePlacesOptions;
  #open: { readonly path: string; readonly search: PlaceSearch } | undefined;
  #running = 0;
  #idle: NodeJS.Timeout | undefined;
  /** The file that failed, and the end of the pause in monotonic ms. */
  #failed: { readonly path: string; readonly until: number } | undefined;

  constructor(options: OfflinePlacesOptions) {
    this.#options = options;
  }

  async find(text: string, limit: number, mayGuess: boolean): Promise<GeocodeAnswer> {
    const { generations, clock, log } = this.#options;
    if (text === '' || limit <= 0) return nothing;
    try {
      await generations.ready();
    } catch (error) {
      // Waypoints are found without it, and the next search looks again.
      log.warn('geodata.search_failed', describeError(error));
      return nothing;
    }
    // In the background: the search does not wait for the check.
    void generations.verified().catch(() => undefined);
    const generation = generations.current;
    if (generation === undefined || this.#isPaused(generation.path)) return nothing;
    this.#running += 1;
    clearTimeout(this.#idle);
    try {
      const { PlaceSearch: Search } = await import('../../geodata/place-search.ts');
      const search = this.#searchOf(generation.path, Search);
      const found = search.search(text, limit);
      if (mayGuess && found.length < fewResults) {
        const near = await search.misspelt(text, limit - found.length);
        found.push(...near.filter((one) => !found.some((other) => isSame(one, other))));
      }
      return { places: found, attribution: generation.attribution };
    } catch (error) {
      log.warn('geodata.search_failed', describeError(error));
      this.#drop();
      this.#failed = { path: generation.path, until: clock.monotonic() + pauseMs };
      generations.distrust(generation.path);
      return nothing;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#dropWhenIdle();
    }
  }

  async close(): Promise<void> {
    this.#drop();
  }

  #isPaused(path: string): boolean {
    return this.#failed?.path === path && this.#options.clock.monotonic() < this.#failed.until;
  }

  /** The open search of this file; closes that of another. */
  #searchOf(path: string, Search: typeof PlaceSearch): PlaceSearch {
    if (this.#open?.path !== path) {
      this.#drop();
      this.#open = { path, search: new Search(path) };
    }
    return this.#open.search;
  }

  #dropWhenIdle(): void {
    this.#idle = setTimeout(() => this.#drop(), this.#options.idleMs ?? usualIdleMs).unref();
  }

  #drop(): void {
    clearTimeout(this.#idle);
    this.#open?.search.close();
    this.#open = undefined;
  }
}

function isSame(one: Suggestion, other: Suggestion): boolean {
  return one.lat === other.lat && one.lon === other.lon;
}
