import * as z from 'zod';
import { parseDate } from './calendar-date.ts';
import type { Schema } from './schema.ts';
import { parseTime } from './time.ts';

const dayMs = 86_400_000;

/** An instant, or a UTC date, which stands for its first or its last millisecond; yields ms since 1970. */
export function queryInstant(end: 'first' | 'last'): Schema<number> {
  const read = (value: string): number | undefined => {
    const day = parseDate(value);
    if (day === undefined) return parseTime(value);
    return end === 'first' ? day * dayMs : (day + 1) * dayMs - 1;
  };
  return z
    .string()
    .refine((value) => read(value) !== undefined)
    .transform((value) => read(value) ?? 0)
    .meta({
      openapi: {
        anyOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ],
        description: 'A UTC date or an ISO 8601 time.',
      },
    });
}

/** A period of a query: both ends belong to it. */
export const queryPeriod = {
  from: queryInstant('first').optional(),
  to: queryInstant('last').optional(),
};

/** Whether a period does not end before it begins. */
export function isInOrder({ from = -Infinity, to = Infinity }: QueryPeriod): boolean {
  return from <= to;
}

interface QueryPeriod {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The field that is refused where a period ends before it begins. */
export const orderFault = { path: ['to'] };
