import { route, type Route } from '../../http/route.ts';
import { locationSchema } from '../../model/process.ts';
import type { LatestFix } from '../location/open-location.ts';

/** `GET /api/location`: where the machine is, or 204. */
export function locationRoutes(latestFix: LatestFix): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/location',
      summary: 'Tells where the machine is; 204 when that is not known or older than two minutes.',
      answers: { 200: locationSchema, 204: null },
      handle() {
        const fix = latestFix();
        return fix === undefined ? { status: 204 } : { status: 200, json: fix };
      },
    }),
  ];
}
