import { route, type Answer, type Route } from '../../http/route.ts';
import { exportMediaTypes, exportQuery, exportSchema } from '../../model/export.ts';
import { exportPieces, needsLibrary } from '../export-pieces.ts';
import type { DaemonParts } from '../parts.ts';

/** `GET /api/export`: waypoints, routes and tracks as a file, streamed from one snapshot of both databases. */
export function exportRoutes({ readers, library, clock }: DaemonParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/export',
      summary: 'Writes waypoints, routes and tracks as GPX, GeoJSON, KML or CSV.',
      query: exportQuery,
      answers: { 200: exportSchema },
      async handle({ query }): Promise<Answer> {
        if (needsLibrary(query)) await library.ready;
        const snapshot = readers.acquire();
        return {
          status: 200,
          contentType: exportMediaTypes[query.format ?? 'gpx'],
          headers: { 'Cache-Control': 'no-store' },
          pieces: exportPieces(snapshot.db, query, clock.now()),
          close: () => snapshot.release(),
        };
      },
    }),
  ];
}
