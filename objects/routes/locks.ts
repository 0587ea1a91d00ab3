import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { repositoryBases } from '../../model/object-routes.ts';
import { enterQuietly } from '../enter.ts';
import type { ObjectParts } from '../parts.ts';

/**
 * There are no file locks. git-lfs asks for them before each push: 404 makes it go on and never ask again; making one is not
 * implemented.
 */
export function lockRoutes(parts: ObjectParts): Route[] {
  return repositoryBases.flatMap(({ base, repository }) => [
    route({
      method: 'POST',
      path: `${base}/locks/verify`,
      summary: 'Always 404: this server has no file locks.',
      params: repository,
      answers: {},
      async handle({ ctx, params }) {
        // A private repository asks for a password first, like everywhere else.
        await enterQuietly(ctx, { ...params, operation: 'download' }, parts);
        throw new WaypointError('not_found');
      },
    }),
    route({
      method: 'POST',
      path: `${base}/locks`,
      summary: 'Always 501: this server has no file locks.',
      params: repository,
      answers: {},
      async handle({ ctx, params }) {
        await enterQuietly(ctx, { ...params, operation: 'upload' }, parts);
        throw new WaypointError('no_locks');
      },
    }),
  ]);
}
