import * as z from 'zod';
import { lat, lon } from './schema.ts';

/** A clock: wall time for timestamps, monotonic time for durations and deadlines; both in ms. */
export interface Clock {
  readonly now: () => number;
  readonly monotonic: () => number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Writes one line to the log. Neither event nor details may hold a coordinate, name, tag, query, path or token. */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

export type LogLine = (
  event: string,
  details?: Readonly<Record<string, string | number | boolean>>,
) => void;

export const versionSchema = z.object({
  api: z.literal(1),
  features: z.array(z.string()),
  runtime: z.object({ name: z.string(), version: z.string() }),
  platform: z.object({ os: z.string(), arch: z.string(), release: z.string() }),
  module: z.object({ name: z.string(), version: z.string() }),
  build: z
    .object({
      commit: z.string(),
      commit_short: z.string(),
      build_time: z.string(),
      dirty: z.boolean(),
    })
    .partial()
    .optional(),
  sqlite: z.string(),
});
export type VersionInfo = z.output<typeof versionSchema>;

/** A fix of the machine's position. */
export const locationSchema = z.object({
  lat,
  lon,
  accuracy_m: z.number().optional(),
  altitude_m: z.number().optional(),
  speed_mps: z.number().optional(),
  heading_deg: z.number().optional(),
  timestamp: z.iso.datetime(),
  source: z.string(),
});
export type LocationFix = z.output<typeof locationSchema>;

export const failureSchema = z
  .object({
    message: z.string(),
    code: z.string(),
    request_id: z.string(),
    field: z.string().optional(),
  })
  .meta({ id: 'Failure' });

export const healthSchema = z.object({
  status: z.literal('ok'),
  /** HMAC-SHA-256 in base64url of the address and the nonce, with the token as its key. */
  proof: z.string().optional(),
});

/** A nonce has the daemon prove that it knows its token. */
export const healthQuerySchema = z.object({
  nonce: z
    .string()
    .regex(/^[\w-]{16,64}$/)
    .optional(),
});

/** The hand-over file `daemon.json`: how local programs of the same user find and talk to the daemon. */
export const handOverSchema = z.object({
  version: z.literal(1),
  pid: z.int().min(1),
  port: z.int().min(1).max(65_535),
  url: z.url(),
  token: z.string().min(32),
  /** The daemon proves at `GET /healthz?nonce=` that it knows the token: clients send nothing before. */
  proof: z.literal(1).optional(),
  started: z.iso.datetime(),
  program: z.string(),
  instance: z.string().min(1),
  /** So that a program that was told a data directory does not talk to the daemon of another one. */
  data_dir: z.string().optional(),
});
export type HandOver = z.output<typeof handOverSchema>;
