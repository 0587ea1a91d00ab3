import * as z from 'zod';
import { formatNames } from './recorder-formats.ts';
import { list } from './schema.ts';

/** Why a file was refused; fixed words (contract D). */
export const failureReasons = [
  'empty',
  'truncated',
  'not_xml',
  'not_gpx',
  'too_deep',
  'entities',
  'encoding',
  'too_large',
  'unreadable',
  'changed',
  'too_slow',
  'unsupported',
  'wrong_format',
  'damaged',
  'not_json',
  'nested',
  'unsafe_name',
  'encrypted',
  'packing',
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Why a file that was imported left nothing: it has no points, or none of them has usable coordinates. */
const emptyReasons = ['no_points', 'unusable_points'] as const;
export type EmptyReason = (typeof emptyReasons)[number];

export const importRequestSchema = z.strictObject({
  dir: z.string().min(1).max(4_096),
  recursive: z.boolean().optional(),
  files: list(z.string().min(1).max(4_096), 10_000).optional(),
  into: z.string().min(1).max(1_024).optional(),
  /** Tells what would come in, and writes nothing. */
  dry_run: z.boolean().optional(),
  /** Takes in files that were removed, too. */
  again: z.boolean().optional(),
  /** Takes in what is whole before the damage of cut-off and damaged files. */
  salvage: z.boolean().optional(),
});
export type ImportRequest = z.output<typeof importRequestSchema>;

const fileOutcomes = [
  'added',
  'replaced',
  'duplicate',
  'removed',
  'unsupported',
  'failed',
] as const;

const count = z.int().min(0);
const time = z.iso.datetime();

/** The result of one import (specification section 2, contract D). Files are relative to `dir`, with `/`. */
export const importResultSchema = z
  .object({
    imported: z.boolean(),
    dir: z.string(),
    count,
    files: count,
    added: count,
    replaced: count,
    skipped_files: z.array(z.string()),
    skipped: count,
    duplicate_files: z.array(z.string()),
    duplicates: count,
    unsupported_files: z.array(z.string()),
    unsupported: count,
    failed_files: z.array(z.string()),
    failed: count,
    /** Refused files of archives beside the 100 of each that are listed and counted as failed. */
    failures_omitted: count,
    dedup_count: count,
    observations: count,
    untimed_points: count,
    unusable_points: count,
    tracks: count,
    track_points: count,
    routes: count,
    route_points: count,
    own_bookmarks: count,
    files_without_data: z.array(z.string()),
    without_data: z.array(z.object({ file: z.string(), reason: z.enum(emptyReasons) })),
    first_time: time.optional(),
    last_time: time.optional(),
    /** Files with times before GPS or after tomorrow, which are kept; absent where there are none. */
    odd_times: z
      .array(z.object({ file: z.string(), first_time: time, last_time: time }))
      .optional(),
    replaced_files: z.array(z.string()),
    removed_files: z.array(z.string()),
    /** Files beside which one of another directory has their path; `stored_as` is relative to `imports/`. */
    renamed_files: z.array(z.object({ file: z.string(), stored_as: z.string() })),
    /** Damaged files of which only what is before the damage came in; `broken_at` counts bytes, `line` and `record` from 1. */
    salvaged: z.array(
      z.object({
        file: z.string(),
        reason: z.enum(failureReasons),
        broken_at: count,
        line: z.int().optional(),
        record: z.int().optional(),
      }),
    ),
    hidden: count,
    gpx_in_subfolders: count,
    failures: z.array(
      z.object({ file: z.string(), reason: z.enum(failureReasons), line: z.int().optional() }),
    ),
    formats: z.partialRecord(z.enum(formatNames), count),
    cancelled: z.literal(true).optional(),
    /** Set in a preview: nothing was written. */
    planned: z.literal(true).optional(),
    plan: z.array(z.object({ file: z.string(), outcome: z.enum(fileOutcomes) })).optional(),
  })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.output<typeof importResultSchema>;

export const importStatusSchema = z.object({
  state: z.enum(['idle', 'running']),
  files_total: count,
  files_done: count,
  bytes_total: count,
  bytes_done: count,
  waypoints: count,
  observations: count,
  started_at: time.optional(),
  last: importResultSchema.extend({ finished_at: time }).meta({ id: 'LastImport' }).nullable(),
});
export type ImportStatus = z.output<typeof importStatusSchema>;

export const importCancelSchema = z.object({ status: z.literal('cancelling') });
