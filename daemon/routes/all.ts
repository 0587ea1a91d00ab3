import { route, type Route } from '../../http/route.ts';
import { describeApi, openApiSchema, type OpenApiDocument } from '../../model/openapi.ts';
import { programVersion } from '../version-info.ts';
import { bookmarkRoutes } from './bookmarks.ts';
import { changeRoutes } from './changes.ts';
import { clusterRoutes } from './clusters.ts';
import { correctionRoutes } from './corrections.ts';
import { exportRoutes } from './export.ts';
import { geodataRoutes } from './geodata.ts';
import { healthRoutes } from './health.ts';
import { hiddenRoutes } from './hidden.ts';
import { historyRoutes } from './history.ts';
import { importRoutes } from './import.ts';
import { importedFileRoutes } from './imported-files.ts';
import { lifeRoutes } from './life.ts';
import { locationRoutes } from './location.ts';
import type { DaemonParts } from '../parts.ts';
import { statusRoutes } from './status.ts';
import { suggestRoutes } from './suggest.ts';
import { tagRoutes } from './tags.ts';
import { tileRoutes } from './tiles.ts';
import { timelineRoutes } from './timelines.ts';
import { trackRoutes } from './tracks.ts';
import { versionRoutes } from './version.ts';
import { waypointRoutes } from './waypoints.ts';

const resources: readonly ((parts: DaemonParts) => Route[])[] = [
  healthRoutes,
  bookmarkRoutes,
  changeRoutes,
  clusterRoutes,
  correctionRoutes,
  exportRoutes,
  geodataRoutes,
  hiddenRoutes,
  historyRoutes,
  importRoutes,
  importedFileRoutes,
  lifeRoutes,
  locationRoutes,
  statusRoutes,
  suggestRoutes,
  tagRoutes,
  tileRoutes,
  timelineRoutes,
  trackRoutes,
  versionRoutes,
  waypointRoutes,
];

/** Every route of the daemon, one file a resource. */
export function apiRoutes(parts: DaemonParts): Route[] {
  const routes = resources.flatMap((routesOf) => routesOf(parts));
  return [...routes, openApiRoute(routes, programVersion())];
}

/**
 * `GET /api/openapi.json`: describes the given routes and itself.
 * @param version The program's version.
 */
export function openApiRoute(routes: readonly Route[], version: string): Route {
  let document: OpenApiDocument | undefined;
  const self = route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Describes this API as an OpenAPI 3.1 document.',
    answers: { 200: openApiSchema },
    handle: () => {
      // Made on demand: it takes longer than starting the server does, and most never ask.
      document ??= describeApi([...routes, self], {
        title: 'waypointd',
        version,
        privatePrefix: '/api/',
      });
      return { status: 200, json: document };
    },
  });
  return self;
}
