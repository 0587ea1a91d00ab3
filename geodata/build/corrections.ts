import type { GeoRing } from './read-inputs.ts';

/** An area that the borders give to another country than the rule of docs/geodata.md ("Disputed areas") does. */
export interface Correction {
  readonly country: string;
  /** The country whose borders have it. */
  readonly before: string;
  /** Drawn by hand, to some hundred metres; where it reaches into the country it belongs to, nothing changes. */
  readonly outline: GeoRing;
}

export const corrections: readonly Correction[] = [
  {
    // The Golan Heights, east of the line of 1949.
    country: 'SY',
    before: 'IL',
    outline: [
      [35.64, 33.25],
      [35.665, 33.24],
      [35.66, 33.21],
      [35.668, 33.17],
      [35.657, 33.125],
      [35.645, 33.08],
      [35.63, 33.01],
      [35.626, 32.98],
      [35.632, 32.94],
      [35.617, 32.888],
      [35.645, 32.875],
      [35.654, 32.84],
      [35.652, 32.82],
      [35.665, 32.79],
      [35.665, 32.74],
      [35.67, 32.71],
      [35.7, 32.718],
      [35.735, 32.735],
      [35.77, 32.765],
      [35.8, 32.795],
      [35.84, 32.84],
      [35.95, 33],
      [35.9, 33.33],
      [35.77, 33.34],
    ],
  },
  {
    // East Jerusalem, east of the line of 1949.
    country: 'PS',
    before: 'IL',
    outline: [
      [35.19, 31.9],
      [35.185, 31.825],
      [35.178, 31.808],
      [35.205, 31.804],
      [35.222, 31.8],
      [35.228, 31.793],
      [35.2275, 31.787],
      [35.2285, 31.7825],
      [35.2272, 31.777],
      [35.2285, 31.772],
      [35.2285, 31.764],
      [35.234, 31.755],
      [35.228, 31.745],
      [35.222, 31.735],
      [35.21, 31.74],
      [35.195, 31.742],
      [35.165, 31.732],
      [35.18, 31.7],
      [35.27, 31.7],
      [35.28, 31.8],
      [35.24, 31.9],
    ],
  },
];
