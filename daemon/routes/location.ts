import { route, type Route } from '../../http/route.ts';
import { locationSchema } from '../../model/process.ts';
import type { DaemonParts } from '../parts.ts';

/** `GET /api/location`: where the machine is, or 204. */
export function locationRoutes({ location }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/location',
      summary: 'Tells where the machine is; 204 when that is not known or older than two minutes.',
      answers: { 200: locationSchema, 204: null },
      handle() {
        const fix = location.latest();
        return fix === undefined ? { status: 204 } : { status: 200, json: fix };
      },
    }),
  ];
}
