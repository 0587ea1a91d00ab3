import * as z from 'zod';
import { queryBoolean, queryInteger, text } from './schema.ts';

/** States of an imported file: in use, replaced by other content, removed by the user, or not found in `imports/`. */
export const importStates = ['active', 'replaced', 'removed', 'missing'] as const;
export type ImportState = (typeof importStates)[number];

const count = z.int().min(0);
const time = z.iso.datetime();

/** Details of a listed file beside its row, kept as JSON. */
export const importSummarySchema = z.object({
  waypoints: count,
  track_points: count,
  route_points: count,
  observations: count,
  untimed_points: count,
  unusable_points: count,
  first_time: time.optional(),
  last_time: time.optional(),
  /** Only what is before the damage of the file, after so many bytes, is in the library. */
  salvaged: z.literal(true).optional(),
  broken_at: count.optional(),
  /** `[west, south, east, north]` in degrees, as small as the numbers go: never across the antimeridian. */
  bbox: z.array(z.number()).length(4).optional(),
});
export type ImportSummary = z.output<typeof importSummarySchema>;

/** One imported file (contract D2). `path` is relative to `imports/`, with `/`. */
export const importedFileSchema = z
  .object({
    id: z.int().min(1),
    path: z.string(),
    format: z.string(),
    sha256: z.string(),
    bytes: count,
    imported_at: time,
    state: z.enum(importStates),
    ...importSummarySchema.shape,
  })
  .meta({ id: 'ImportedFile' });
export type ImportedFile = z.output<typeof importedFileSchema>;

/** Content of a cursor: time and id of the last file that was listed. */
export const cursorPattern = /^(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)_(\d{1,15})$/;

export const importsQuery = z.object({
  limit: queryInteger(1, 1_000).optional(),
  cursor: z.string().regex(cursorPattern).optional(),
  q: text(256).optional(),
  state: z.enum(importStates).optional(),
});
export type ImportsQuery = z.output<typeof importsQuery>;

export const importsSchema = z
  .object({ files: z.array(importedFileSchema), next_cursor: z.string().optional() })
  .meta({ id: 'Imports' });

export const importParams = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number)
    .meta({ openapi: { type: 'integer', minimum: 1 } }),
});

/** The bytes of a file. */
export const importContentSchema = z
  .string()
  .meta({ mediaTypes: ['application/octet-stream'], format: 'binary' });

export const removeImportQuery = z.object({ forever: queryBoolean.optional() });

/** A path of plain names, none of them hidden, with `/`. */
export const uploadQuery = z.object({
  path: text(1_024).refine((path) =>
    path.split('/').every((name) => name !== '' && !name.startsWith('.') && !/[\\:]/.test(name)),
  ),
  /** Whether it comes in even if it was removed before; true by default, since it was sent. */
  again: queryBoolean.optional(),
  /** Whether what is whole before the damage comes in, if it is cut off or damaged. */
  salvage: queryBoolean.optional(),
});
export type ImportUpload = z.output<typeof uploadQuery>;
