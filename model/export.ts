import * as z from 'zod';
import { limits } from './limits.ts';
import { isInOrder, orderFault, queryPeriod } from './query-instant.ts';
import { queryBbox, queryBoolean, queryNames, text } from './schema.ts';

export const exportFormats = ['gpx', 'geojson', 'kml', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Contents of an export. */
export const exportContents = ['waypoints', 'routes', 'tracks'] as const;
export type ExportContent = (typeof exportContents)[number];

/** The media type of each format. */
export const exportMediaTypes: Readonly<Record<ExportFormat, string>> = {
  gpx: 'application/gpx+xml',
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  csv: 'text/csv',
};

export const exportQuery = z
  .object({
    format: z.enum(exportFormats).optional(),
    contents: queryNames(exportContents).optional(),
    bookmarksOnly: queryBoolean.optional(),
    tag: text(limits.tagCodePoints).optional(),
    ...queryPeriod,
    bbox: queryBbox.optional(),
  })
  .refine(isInOrder, orderFault);
export type ExportQuery = z.output<typeof exportQuery>;

export const exportSchema = z.string().meta({ mediaTypes: Object.values(exportMediaTypes) });
