import * as z from 'zod';
import { changeWords, type ChangeKind } from './change-words.ts';
import { newCorrectionSchema } from './correction.ts';
import { limits } from './limits.ts';
import { queryBoolean, queryInteger } from './schema.ts';
import { waypointSchema } from './waypoint.ts';

const changeKinds = Object.keys(changeWords) as ChangeKind[];

const id = z.int().min(1);

export const changesQuery = z.object({
  limit: queryInteger(1, limits.changesMax).optional(),
  cursor: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
  details: queryBoolean.optional(),
});
export type ChangesQuery = z.output<typeof changesQuery>;

/** A bookmark, a tag of a waypoint, or a hidden waypoint, as it was before or after a change. */
const changedSchema = waypointSchema
  .omit({ bookmark: true, tags: true })
  .extend({ tag: z.string().optional() });

const changeDetailSchema = z.object({
  what: z.enum(['bookmark', 'correction', 'tag', 'hidden', 'file']),
  before: changedSchema.optional(),
  after: changedSchema.optional(),
  correction: newCorrectionSchema.optional().meta({ description: 'As it was made or deleted.' }),
  path: z.string().optional().meta({ description: 'Of an imported file, below `imports/`.' }),
});
export type ChangeDetail = z.output<typeof changeDetailSchema>;

export const changeSchema = z
  .object({
    id,
    at: z.iso.datetime(),
    kind: z.enum(changeKinds),
    count: z.int().min(0).meta({ description: 'Waypoints that it concerned, or imported files.' }),
    undone: z.boolean().meta({ description: 'It was taken back and not done again since.' }),
    undoable: z
      .boolean()
      .meta({ description: 'It can be taken back: nothing later is known to stand in the way.' }),
    undoes: id.optional().meta({ description: 'The change that this one has taken back.' }),
    details: z
      .array(changeDetailSchema)
      .max(limits.changeDetails)
      .optional()
      .meta({ description: 'With details=true: the first of what it concerned.' }),
  })
  .meta({ id: 'Change' });
export type ChangeAnswer = z.output<typeof changeSchema>;

export const changesSchema = z.object({
  changes: z.array(changeSchema),
  next_cursor: id.optional(),
});
export type ChangesAnswer = z.output<typeof changesSchema>;

export const changeParams = z.object({ id: queryInteger(1, Number.MAX_SAFE_INTEGER) });

export const undoneSchema = z.object({
  undone: id.meta({ description: 'What was taken back.' }),
  kind: z.enum(changeKinds),
  count: z.int().min(0),
  change: id.meta({ description: 'The change that this is, to be taken back in turn.' }),
});
export type UndoneAnswer = z.output<typeof undoneSchema>;
