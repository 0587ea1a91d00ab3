import type { Position } from './geometry.ts';

/** A town in which a generated person lives or stays. */
export interface City extends Position {
  /** ISO 3166-1 alpha-2 of the country around it; the next border or coast is further than any spike. */
  readonly country: string;
  /** No place of the country is further from the town than this, km. */
  readonly reachKm: number;
}

/**
 * Taveuni lies on both sides of 180°: its people cross it on the way to work. Longyearbyen is where a degree of longitude
 * is a fifth of one at the equator. The others are far from the solar zones' edges as well as from borders.
 */
export const cities: readonly City[] = [
  { country: 'DE', lat: 51.3127, lon: 9.4797, reachKm: 500 },
  { country: 'FJ', lat: -16.87, lon: 179.995, reachKm: 800 },
  { country: 'SJ', lat: 78.2208, lon: 15.64, reachKm: 900 },
  { country: 'ES', lat: 40.4168, lon: -3.7038, reachKm: 1_900 },
  { country: 'JP', lat: 36.6486, lon: 138.1948, reachKm: 2_500 },
  { country: 'FR', lat: 45.764, lon: 4.8357, reachKm: 800 },
  { country: 'US', lat: 39.7392, lon: -104.9903, reachKm: 6_000 },
  { country: 'CZ', lat: 50.0755, lon: 14.4378, reachKm: 400 },
  { country: 'KE', lat: -1.2921, lon: 36.8219, reachKm: 800 },
  { country: 'PL', lat: 52.2297, lon: 21.0122, reachKm: 600 },
  { country: 'BR', lat: -15.7939, lon: -47.8828, reachKm: 3_500 },
  { country: 'AU', lat: -23.698, lon: 133.8807, reachKm: 3_500 },
  { country: 'EC', lat: -0.1807, lon: -78.4678, reachKm: 1_400 },
];

/** Radius of a person's life in a town, airport and station included. */
export const cityRadiusM = 25_000;

/** Hours that solar time (of the whole zone of 15°) is ahead of UTC. */
export function solarHours({ lon }: Position): number {
  return Math.round(lon / 15);
}
