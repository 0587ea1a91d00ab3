import { describeError } from '../../model/error-description.ts';
import type { Clock, Log } from '../../model/process.ts';
import { codePointLength } from '../../model/text.ts';
import type { Schedule } from '../schedule.ts';
import type { GeocodeCache } from '../../storage/geocode-cache.ts';
import type { GeocodeAnswer, Geocoder } from './geocoder.ts';
import type { Lookup } from './checked-fetch.ts';
import { ServerFailed } from './server-failed.ts';

export interface OnlineGeocoderOptions {
  readonly lookup: Lookup;
  readonly answers: GeocodeCache;
  readonly attribution: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}

const minCodePoints = 3;
/** Pause in typing before a text is looked up. */
const quietMs = 300;
/** From the end of one request to the start of the next: the server sees at most one in a second. */
const spacingMs = 1_000;
const timeoutMs = 1_500;
const placesPerText = 12;
/** After so many failures in a row the server is left alone for a while, then after each one. */
const failuresInARow = 3;
const pauseMs = 60_000;
/** After a refusal that does not say how long to wait. */
const refusedPauseMs = 15 * 60_000;
/** A server may ask for any time; after a day it is asked again. */
const longestPauseMs = 24 * 3_600_000;
const nothing: GeocodeAnswer = { places: [] };

/**
 * A geocoding server on the network. A text is answered from what is known at once; what is not known is asked for
 * meanwhile, so that it is known when the text is asked again. One request at a time, the newest text first; a text that
 * had to wait while another came is forgotten.
 */
export class OnlineGeocoder implements Geocoder {
  readonly isOnline = true;
  readonly #options: OnlineGeocoderOptions;
  /** The text to ask for next, and when it was first wanted, monotonic ms. */
  #wanted: { readonly text: string; readonly since: number } | undefined;
  #asking: { readonly text: string; readonly abort: AbortController } | undefined;
  #lastEnd = -Infinity;
  #failures = 0;
  /** Monotonic ms until which the server is left alone. */
  #pausedUntil = -Infinity;
  #cancelTimer = (): void => {};
  #isClosed = false;

  constructor(options: OnlineGeocoderOptions) {
    this.#options = options;
  }

  find(typed: string, limit: number): GeocodeAnswer {
    const text = typed.trim().replaceAll(/\s+/gu, ' ').toLowerCase();
    if (codePointLength(text) < minCodePoints || this.#isClosed) return nothing;
    const places = this.#options.answers.get(text);
    if (places === undefined) return { places: [], isPending: this.#want(text) };
    const { attribution } = this.#options;
    return places.length === 0 ? nothing : { places: places.slice(0, limit), attribution };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#wanted = undefined;
    this.#cancelTimer();
    this.#asking?.abort.abort();
    this.#options.answers.close();
    return Promise.resolve();
  }

  /** @returns whether the text will be asked for, unless a newer one comes. */
  #want(text: string): boolean {
    if (this.#options.clock.monotonic() < this.#pausedUntil) return false;
    if (this.#asking?.text === text) {
      this.#wanted = undefined;
    } else if (this.#wanted?.text !== text) {
      this.#wanted = { text, since: this.#options.clock.monotonic() };
      this.#askLater();
    }
    return true;
  }

  #askLater(): void {
    this.#cancelTimer();
    if (this.#wanted === undefined || this.#asking !== undefined) return;
    const { clock, schedule } = this.#options;
    const at = Math.max(this.#wanted.since + quietMs, this.#lastEnd + spacingMs);
    this.#cancelTimer = schedule(() => {
      // Timers may be a little early.
      if (clock.monotonic() < at) this.#askLater();
      else void this.#ask();
    }, at - clock.monotonic());
  }

  async #ask(): Promise<void> {
    const text = this.#wanted?.text;
    this.#wanted = undefined;
    if (text === undefined) return;
    const { lookup, answers, clock, schedule } = this.#options;
    const abort = new AbortController();
    this.#asking = { text, abort };
    const cancelLimit = schedule(() => abort.abort(), timeoutMs);
    try {
      const places = await lookup(text, placesPerText, abort.signal);
      this.#failures = 0;
      if (!this.#isClosed) answers.put(text, places.slice(0, placesPerText));
    } catch (error) {
      if (!this.#isClosed) this.#noteFailure(error);
    } finally {
      cancelLimit();
      this.#asking = undefined;
      this.#lastEnd = clock.monotonic();
      this.#askLater();
    }
  }

  #noteFailure(error: unknown): void {
    const { clock, log } = this.#options;
    this.#failures += 1;
    const leftAloneMs = pauseAfter(error, this.#failures);
    if (leftAloneMs > 0) {
      this.#wanted = undefined;
      this.#pausedUntil = clock.monotonic() + leftAloneMs;
    }
    log.warn('geocoder.failed', {
      ...describeError(error),
      ...(error instanceof ServerFailed ? error.details : {}),
      left_alone_ms: leftAloneMs,
    });
  }
}

function pauseAfter(error: unknown, failures: number): number {
  const pause = failures >= failuresInARow ? pauseMs : 0;
  const isRefusal = error instanceof ServerFailed && (error.status === 429 || error.status === 403);
  if (!isRefusal) return pause;
  return Math.max(Math.min(error.retryAfterMs ?? refusedPauseMs, longestPauseMs), pause);
}
