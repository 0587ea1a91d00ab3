import * as z from 'zod';
import { objectLimits } from './objects.ts';
import { isWellFormed } from './text.ts';

/** A file of a git repository, as its clients name it: nothing here looks for it. */
const lockPath = z
  .string()
  .min(1)
  .refine(isWellFormed)
  .refine((path) => new TextEncoder().encode(path).length <= objectLimits.lockPathBytes)
  .regex(/^[^\p{Cc}]*$/u);

const count = z.int().min(1);
const isDigits = /^\d{1,15}$/u;
/** Ids and cursors are numbers that clients hand back as they got them. */
export const lockId = z.string().regex(isDigits).transform(Number);
const limitText = z.string().regex(isDigits).transform(Number).pipe(count);

/** The branch that git-lfs names is ignored: a lock holds for all branches. */
export const lockRequestSchema = z.object({ path: lockPath });

export const locksQuery = z.object({
  path: lockPath.optional(),
  id: z.string().optional(),
  cursor: lockId.optional(),
  limit: limitText.optional(),
  refspec: z.string().optional(),
});

export const verifyLocksRequestSchema = z.object({
  cursor: z.union([z.literal('').transform(() => undefined), lockId]).optional(),
  limit: z.union([z.literal(0).transform(() => undefined), count]).optional(),
});

export const unlockRequestSchema = z.object({ force: z.boolean().optional() });

const lockSchema = z.object({
  id: z.string(),
  path: z.string(),
  /** ISO 8601 */
  locked_at: z.string(),
  owner: z.object({ name: z.string() }),
});
export type Lock = z.output<typeof lockSchema>;

export const lockAnswerSchema = z.object({ lock: lockSchema });

/** Another lock is in the way. */
export const lockTakenSchema = lockAnswerSchema.extend({
  message: z.string(),
  code: z.literal('conflict'),
  request_id: z.string(),
});

export const locksAnswerSchema = z.object({
  locks: z.array(lockSchema),
  next_cursor: z.string().optional(),
});

export const verifyLocksAnswerSchema = z.object({
  ours: z.array(lockSchema),
  theirs: z.array(lockSchema),
  next_cursor: z.string().optional(),
});
