import * as z from 'zod';
import { parseDate } from './calendar-date.ts';
import { limits } from './limits.ts';
import { queryBoolean } from './schema.ts';
import { isTimeZone } from './time-zone.ts';
import { timelineResultSchema } from './timeline-result.ts';

const date = z
  .string()
  .refine((text) => parseDate(text) !== undefined)
  .meta({ format: 'date' });

const mostSources = 1_000;
const importIds = z.array(z.int().min(1)).min(1).max(mostSources);

/** A period of whole days, both inclusive, of at most limits.timelineDays. */
export const timelineRequestSchema = z
  .strictObject({
    start_date: date,
    end_date: date,
    /** Time zone of days: `UTC` (default), `local` (that of the place) or an IANA name. */
    time_zone: z
      .string()
      .max(64)
      .refine((name) => isTimeZone(name))
      .optional(),
    /** Ids of imports: only these, or all but these. */
    sources: importIds.optional(),
    exclude_sources: importIds.optional(),
  })
  .refine(({ start_date, end_date }) => isPeriod(start_date, end_date), { path: ['end_date'] });
export type TimelineRequest = z.output<typeof timelineRequestSchema>;

function isPeriod(start: string, end: string): boolean {
  const [first, last] = [parseDate(start), parseDate(end)];
  // What is wrong with a date is told by its own check.
  if (first === undefined || last === undefined) return true;
  return last >= first && last - first < limits.timelineDays;
}

const id = z.string().regex(/^[0-9a-f]{32}$/);
export const timelineParams = z.object({ id });
export const timelineQuery = z.object({ result: queryBoolean.optional() });

export const timelineAcceptedSchema = z.object({ job_id: id });
export const timelineCancelSchema = z.object({ status: z.literal('cancelling') });

/** `queued` → `running` → (`cancelling` →) one of the last three, which are terminal. */
export const timelineStates = [
  'queued',
  'running',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const;
export type TimelineState = (typeof timelineStates)[number];

/** Why a job failed: no more than this ever leaves the daemon. */
export const timelineErrors = {
  failed: 'The timeline could not be generated.',
  late: 'The timeline took longer than ten minutes.',
} as const;

const count = z.int().min(0);
const time = z.iso.datetime();

export const timelineJobSchema = z
  .object({
    id,
    state: z.enum(timelineStates),
    start_date: z.iso.date(),
    end_date: z.iso.date(),
    /** Where the request had one. */
    time_zone: z.string().optional(),
    sources: importIds.optional(),
    exclude_sources: importIds.optional(),
    processed_observations: count,
    /** Left out until the worker has counted them. */
    total_observations: count.optional(),
    created_at: time,
    started_at: time.optional(),
    finished_at: time.optional(),
    error: z.enum([timelineErrors.failed, timelineErrors.late]).optional(),
    /** Only when asked for, and once the job is completed. */
    result: timelineResultSchema.optional(),
  })
  .meta({ id: 'TimelineJob' });
export type TimelineJobRecord = z.output<typeof timelineJobSchema>;
