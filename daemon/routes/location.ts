import { route, type Route } from '../../http/route.ts';
import { locationSchema, type Clock } from '../../model/process.ts';
import { freshFix, type LatestFix } from '../location/latest-fix.ts';

/** `GET /api/location`: where the machine is, or 204. */
export function locationRoutes(latest: LatestFix, clock: Clock): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/location',
      summary: 'Tells where the machine is; 204 when that is not known or older than two minutes.',
      answers: { 200: locationSchema, 204: null },
      handle() {
        const fix = freshFix(latest, clock);
        return fix === undefined ? { status: 204 } : { status: 200, json: fix };
      },
    }),
  ];
}
