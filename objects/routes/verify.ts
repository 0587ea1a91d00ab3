import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { repositoryBases } from '../../model/object-routes.ts';
import { objectBodySchema } from '../../model/objects.ts';
import { authorize } from '../access.ts';
import { uploadUseMs } from '../config.ts';
import { answerType } from '../negotiate.ts';
import { pathOf } from '../../storage/objects/directory.ts';
import { takeArrived } from '../receive-object.ts';
import type { ObjectParts } from '../parts.ts';
import { whenFree } from '../when-free.ts';

/** `POST /verify`: whether an upload has arrived; and how a client takes one back. Old clients send no Accept here, so none is demanded. */
export function verifyRoutes(parts: ObjectParts): Route[] {
  return repositoryBases.flatMap(({ base, repository, object }) => [
    route({
      method: 'POST',
      path: `${base}/verify`,
      summary: 'Tells whether this repository holds an object of this size.',
      params: repository,
      body: objectBodySchema,
      answers: { 200: objectBodySchema },
      async handle({ ctx, params, body }) {
        const { oid, size } = body;
        const request = { ...params, operation: 'upload', oid } as const;
        const permit = await authorize(ctx, request, parts);
        const {
          held,
          repository: { id },
        } = permit;
        const contents = parts.contents.of(pathOf(permit.repository));
        const isNew = held === undefined && (await contents.direct?.arrived(oid, id)) === size;
        if (isNew) await takeArrived(permit, body, parts);
        else if (held !== size || (await contents.has(oid)) !== size) {
          throw new WaypointError('not_found');
        }
        return { status: 200, json: { oid, size }, contentType: answerType(ctx) };
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/objects/{oid}/announcement`,
      summary: 'Takes back what was announced: the quota gets its room back.',
      params: object,
      answers: { 200: null },
      async handle({ ctx, params }) {
        const permit = await authorize(ctx, { ...params, operation: 'upload' }, parts);
        const { repository, userId } = permit;
        const key = { repositoryId: repository.id, userId, oid: params.oid };
        const sinceMs = parts.clock.now() - uploadUseMs;
        await whenFree(() => parts.holdings.cancel(key, sinceMs));
        return { status: 200 };
      },
    }),
  ]);
}
