import { route, type Route } from '../../http/route.ts';
import {
  correctionParams,
  correctionSchema,
  correctionsSchema,
  deletedCorrectionSchema,
  newCorrectionSchema,
} from '../../model/correction.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';

/** `/api/corrections`: what the user knows better than a timeline does. */
export function correctionRoutes({ store, whole }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/corrections',
      summary: 'Lists the corrections of timelines, the newest first.',
      answers: { 200: correctionsSchema },
      async handle() {
        const corrections = store.corrections.all().toReversed();
        const known = corrections.length > 0 ? await whole.known() : undefined;
        const applied = known && new Set(known.applied);
        return {
          status: 200,
          json: {
            corrections: corrections.map((row) => ({
              ...row,
              ...(applied && { applies: applied.has(row.id) }),
            })),
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/corrections',
      summary: 'Corrects every later timeline: the mode of trips, a false stay, a missed one.',
      body: newCorrectionSchema,
      answers: { 201: correctionSchema },
      handle({ body }) {
        const { result, change } = store.addCorrection(body);
        return changed(result, change, 201);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/corrections/{id}',
      summary: 'Deletes a correction; earlier ones that it replaced apply again.',
      params: correctionParams,
      answers: { 200: deletedCorrectionSchema },
      handle({ params }) {
        const { result, change } = store.removeCorrection(params.id);
        return changed({ deleted: true, id: result.id }, change);
      },
    }),
  ];
}
