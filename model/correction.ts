import * as z from 'zod';
import { limits } from './limits.ts';
import { lat, lon, queryInteger, time } from './schema.ts';
import { parseTime } from './time.ts';
import { tripModes } from './timeline-result.ts';

const dayMs = 86_400_000;

/** `mode`: trips were made so. `not_a_stay`: the stays found there are way. `stay`: a stay, wherever else it was. */
const correctionKinds = ['mode', 'not_a_stay', 'stay'] as const;

const shape = {
  kind: z.enum(correctionKinds),
  /** Both ends belong to it. */
  start_utc: time,
  end_utc: time,
  /** Of `mode`. */
  mode: z.enum(tripModes).optional(),
  /** Of `stay`, both or none: without them the middle of what was recorded meanwhile. */
  lat: lat.optional(),
  lon: lon.optional(),
};

type Shape = z.output<z.ZodObject<typeof shape>>;

/** A correction that a user makes; one period of at most limits.timelineDays days. */
export const newCorrectionSchema = z
  .strictObject(shape)
  .refine(isPeriod, { path: ['end_utc'] })
  .refine(({ kind, mode }) => (kind === 'mode') === (mode !== undefined), { path: ['mode'] })
  .refine(({ kind, lat: one }) => kind === 'stay' || one === undefined, { path: ['lat'] })
  .refine(({ kind, lon: one }) => kind === 'stay' || one === undefined, { path: ['lon'] })
  .refine(({ lat: one, lon: other }) => (one === undefined) === (other === undefined), {
    path: ['lon'],
  });
export type NewCorrection = z.output<typeof newCorrectionSchema>;

function isPeriod({ start_utc: start, end_utc: end }: Shape): boolean {
  const ms = (parseTime(end) ?? 0) - (parseTime(start) ?? 0);
  return ms > 0 && ms <= limits.timelineDays * dayMs;
}

const id = z.int().min(1);

export const correctionSchema = z
  .object({
    id,
    ...shape,
    applies: z.boolean().optional().meta({
      description:
        'False where nothing is recorded that it could correct, or later ones replace it. Absent until that is known.',
    }),
  })
  .meta({ id: 'Correction' });
export type CorrectionAnswer = z.output<typeof correctionSchema>;

export const correctionsSchema = z.object({
  corrections: z.array(correctionSchema).max(limits.corrections),
});
export type CorrectionsAnswer = z.output<typeof correctionsSchema>;

export const correctionParams = z.object({ id: queryInteger(1, Number.MAX_SAFE_INTEGER) });
export const deletedCorrectionSchema = z.object({ deleted: z.literal(true), id });
