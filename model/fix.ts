import * as z from 'zod';
import type { LocationFix } from './process.ts';
import { lat, lon } from './schema.ts';
import { formatTime, parseTime } from './time.ts';

/**
 * A number beside a position. One that says nothing is left out and does not spoil the fix: absent, of another type, or
 * outside its range, as the marks for "unknown" are (GeoClue has −1 and −1.797e308, CoreLocation −1).
 */
function extra(min: number, max: number) {
  return z.number().min(min).max(max).optional().catch(undefined);
}

/** A location fix in our own field names, as sources report it and programs of `location_command` print it. */
const reportSchema = z.object({
  lat,
  lon,
  // 0 is what GeoClue says of a receiver whose accuracy it does not know.
  accuracy_m: extra(Number.MIN_VALUE, 1e8),
  altitude_m: extra(-1e5, 1e6),
  speed_mps: extra(0, 1e5),
  heading_deg: extra(0, 360),
  timestamp: z.string().optional().catch(undefined),
});
export type FixReport = z.input<typeof reportSchema>;

/**
 * Reads what a source reports as its position.
 * @param now ms since 1970: the time of a fix that brings none.
 * @returns undefined when it holds no position; (0, 0) is one.
 */
export function readFix(report: unknown, source: string, now: number): LocationFix | undefined {
  const result = reportSchema.safeParse(report);
  if (!result.success) return undefined;
  const { timestamp, ...fix } = result.data;
  const known = Object.fromEntries(
    Object.entries(fix).filter(([, value]) => value !== undefined),
  ) as Omit<LocationFix, 'timestamp' | 'source'>;
  const time = timestamp === undefined ? undefined : parseTime(timestamp);
  return { ...known, timestamp: formatTime(time ?? now), source };
}

const number = z.number().optional().catch(undefined);

/** gpsd's time-position-velocity report. Below mode 2 there is no position, and even mode 3 may come without one. */
const tpvSchema = z.object({
  class: z.literal('TPV'),
  mode: z.number().min(2),
  lat: z.number(),
  lon: z.number(),
  eph: number,
  epx: number,
  epy: number,
  altMSL: number,
  /** Name of altMSL in gpsd before 3.20. */
  alt: number,
  speed: number,
  track: number,
  time: z.string().optional().catch(undefined),
});

/** Reads a JSON line of gpsd; undefined when it reports no position. */
export function readTpv(line: unknown): FixReport | undefined {
  const result = tpvSchema.safeParse(line);
  if (!result.success) return undefined;
  const { eph, epx, epy, altMSL, alt, speed, track, time } = result.data;
  return {
    lat: result.data.lat,
    lon: result.data.lon,
    accuracy_m: eph ?? larger(epx, epy),
    altitude_m: altMSL ?? alt,
    speed_mps: speed,
    heading_deg: track,
    timestamp: time,
  };
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}

/** Tells whether a JSON line is gpsd's greeting. */
export function isGpsdGreeting(line: unknown): boolean {
  return z.object({ class: z.literal('VERSION') }).safeParse(line).success;
}

/** The properties of an `org.freedesktop.GeoClue2.Location`; the time is a pair of seconds and microseconds. */
const geoclueSchema = z.object({
  Latitude: z.number(),
  Longitude: z.number(),
  Accuracy: number,
  Altitude: number,
  Speed: number,
  Heading: number,
  Timestamp: z.tuple([z.bigint(), z.bigint()]).optional().catch(undefined),
});

/** Reads the properties of a location of GeoClue; undefined when they hold no position. */
export function readGeoclueLocation(properties: unknown): FixReport | undefined {
  const result = geoclueSchema.safeParse(properties);
  if (!result.success) return undefined;
  const { Latitude, Longitude, Accuracy, Altitude, Speed, Heading, Timestamp } = result.data;
  return {
    lat: Latitude,
    lon: Longitude,
    accuracy_m: Accuracy,
    altitude_m: Altitude,
    speed_mps: Speed,
    heading_deg: Heading,
    timestamp: Timestamp === undefined ? undefined : instantText(...Timestamp),
  };
}

/** The last second of the year 9999, the latest that a time stamp can say. */
const maxSeconds = 253_402_300_799n;

/** 0 is GeoClue's way to say that it does not know. */
function instantText(seconds: bigint, microseconds: bigint): string | undefined {
  if (seconds <= 0n || seconds > maxSeconds || microseconds >= 1_000_000n) return undefined;
  return formatTime(Number(seconds) * 1000 + Number(microseconds / 1000n));
}
