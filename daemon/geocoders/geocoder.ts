import type { Suggestion } from '../../model/search.ts';

export interface GeocodeAnswer {
  /** The best first; their `source` is `geocode`. */
  readonly places: readonly Suggestion[];
  /** Whom to credit where the places are shown. */
  readonly attribution?: string;
  /** Whether the same text may find more in a second or two: another machine has been, or will be, asked. */
  readonly isPending?: boolean;
}

/** Finds places of the world by what a person typed. */
export interface Geocoder {
  /** Whether what is typed leaves this machine. */
  readonly isOnline?: boolean;
  /**
   * Finds at most `limit` places, from memory or disk: it never waits for a network, and never fails.
   * @param text As typed, trimmed.
   * @param mayGuess Whether the text has found nothing of the user's own, and may be misspelt.
   */
  find(text: string, limit: number, mayGuess: boolean): GeocodeAnswer | Promise<GeocodeAnswer>;
  close(): Promise<void>;
}
