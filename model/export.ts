import * as z from 'zod';
import { parseDate } from './calendar-date.ts';
import { limits } from './limits.ts';
import { queryBbox, queryBoolean, text, type Schema } from './schema.ts';
import { parseTime } from './time.ts';

export const exportFormats = ['gpx', 'geojson', 'kml', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What an export may hold. */
export const exportContents = ['waypoints', 'routes', 'tracks'] as const;
export type ExportContent = (typeof exportContents)[number];

/** The media type of each format. */
export const exportMediaTypes: Readonly<Record<ExportFormat, string>> = {
  gpx: 'application/gpx+xml',
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  csv: 'text/csv',
};

const dayMs = 86_400_000;

/** An instant, or a UTC date, which stands for its first or its last millisecond; yields ms since 1970. */
function queryInstant(end: 'first' | 'last'): Schema<number> {
  const read = (value: string): number | undefined => {
    const day = parseDate(value);
    if (day === undefined) return parseTime(value);
    return end === 'first' ? day * dayMs : (day + 1) * dayMs - 1;
  };
  return z
    .string()
    .refine((value) => read(value) !== undefined)
    .transform((value) => read(value) ?? 0)
    .meta({ openapi: { type: 'string', description: 'A UTC date or an ISO 8601 time.' } });
}

/** Names of contents with commas between. */
const queryContents: Schema<ExportContent[]> = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.array(z.enum(exportContents)).min(1))
  .meta({ openapi: { type: 'string', description: `Of ${exportContents.join(', ')}.` } });

export const exportQuery = z.object({
  format: z.enum(exportFormats).optional(),
  contents: queryContents.optional(),
  bookmarksOnly: queryBoolean.optional(),
  tag: text(limits.tagCodePoints).optional(),
  from: queryInstant('first').optional(),
  to: queryInstant('last').optional(),
  bbox: queryBbox.optional(),
});
export type ExportQuery = z.output<typeof exportQuery>;

export const exportSchema = z.string().meta({ mediaTypes: Object.values(exportMediaTypes) });
