import { asDegrees, parseAnyTime, parseNumber, parsePointNumber } from '../points/point-values.ts';

/** A member of an object; undefined for anything else, and for what is not its own. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** The elements of an array; none for anything else. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number, or a text that is one; NaN for anything else. */
export function numberOf(value: unknown): number {
  if (typeof value === 'string') return parseNumber(value);
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : Number.NaN;
}

/** A text; '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A coordinate in degrees; NaN for other values. */
export function degreesOf(value: unknown, limit: 90 | 180): number {
  return asDegrees(numberOf(value), limit);
}

/** A time of a point, which is an ISO 8601 text, or seconds or milliseconds since 1970 as a number or text. */
export function timeOf(value: unknown): number {
  return typeof value === 'number' ? parsePointNumber(value) : parseAnyTime(textOf(value));
}
