import * as z from 'zod';
import { WaypointError } from './failure.ts';
import { numberText } from './position.ts';
import { codePointLength, isPlainNote, isPlainText, normalizeNote, normalizeText } from './text.ts';
import { formatTime, parseTime } from './time.ts';

// Compiling each schema to code costs more at start-up than it ever saves on requests of a few fields.
z.config({ jitless: true });

/** A schema of a request, an answer or a setting; its type is what it yields. */
export type Schema<T = unknown> = z.ZodType<T>;
export type { output as Yield } from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    /** OpenAPI type that replaces the schema's input type (query parameters arrive as text). */
    openapi?: Record<string, unknown>;
    /** The media types of an answer, where it is not always `application/json`. */
    mediaTypes?: readonly string[];
  }
}

/** A text of 1…`max` code points after trimming and NFC, without control characters. */
export function text(max: number, min = 1): z.ZodString {
  return z
    .string()
    .overwrite(normalizeText)
    .refine((value) => isPlainText(value) && isBetween(codePointLength(value), min, max))
    .meta({ minLength: min, maxLength: max });
}

/** A note of up to `max` code points after trimming and NFC, in which line ends become line feeds. */
export function note(max: number): z.ZodString {
  return z
    .string()
    .overwrite(normalizeNote)
    .refine((value) => isPlainNote(value) && isBetween(codePointLength(value), 0, max))
    .meta({ maxLength: max });
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** A list of `min`…`max` items. */
export function list<T>(item: Schema<T>, max: number, min = 0): z.ZodType<T[]> {
  // By its length first: a body may hold a quarter of a million items, and looking at each takes half a second.
  const isTooLong = (value: unknown): boolean => Array.isArray(value) && value.length > max;
  return z.preprocess(
    (value) => (isTooLong(value) ? null : value),
    z.array(item).min(min).max(max),
  );
}

/** Latitude in degrees WGS84, −90…90. */
export const lat = z.number().min(-90).max(90);
/** Longitude in degrees WGS84, −180…180. */
export const lon = z.number().min(-180).max(180);

/** An instant given as ISO 8601; yields the same instant in UTC with `Z`. */
export const time = z
  .string()
  .refine((value) => parseTime(value.trim()) !== undefined)
  .overwrite((value) => formatTime(parseTime(value.trim()) ?? 0))
  .meta({ format: 'date-time' });

/** A number in a query. */
export function queryNumber(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(numberText)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ openapi: { type: 'number', minimum: min, maximum: max } });
}

/** A whole number in a query. */
export function queryInteger(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^[+-]?\d+$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ openapi: { type: 'integer', minimum: min, maximum: max } });
}

/** A truth value in a query: `true`, `1`, `false` or `0`. */
export const queryBoolean: Schema<boolean> = z
  .enum(['true', '1', 'false', '0'])
  .transform((value) => value === 'true' || value === '1')
  .meta({ openapi: { type: 'boolean' } });

/** Some of these names in a query, with commas between. */
export function queryNames<const Name extends string>(names: readonly Name[]): Schema<Name[]> {
  return z
    .string()
    .transform((value) => value.split(','))
    .pipe(z.array(z.enum(names)).min(1))
    .meta({ openapi: { type: 'string', description: `Of ${names.join(', ')}.` } });
}

export const queryLat = queryNumber(-90, 90);
export const queryLon = queryNumber(-180, 180);

/** `[west, south, east, north]` in degrees WGS84; west > east crosses the antimeridian. */
export type Bbox = readonly [west: number, south: number, east: number, north: number];

/** A bounding box in a query: `west,south,east,north`, south ≤ north. */
export const queryBbox: Schema<Bbox> = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([queryLon, queryLat, queryLon, queryLat]))
  .refine(([, south, , north]) => south <= north)
  .meta({ openapi: { type: 'string', description: 'west,south,east,north in degrees' } });

/**
 * Checks input against its schema.
 * @throws WaypointError invalid, naming the refused field when the schema knows it: input is never echoed.
 */
export function parseInput<T>(schema: Schema<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const known = knownFields(schema);
  const refused = result.error.issues.map(({ path: [name] }) => String(name));
  throw new WaypointError('invalid', { field: refused.find((name) => known.includes(name)) });
}

/** The names of the fields an object schema knows; none for other schemas. */
export function knownFields(schema: Schema): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
