import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { repositoryBases } from '../../model/object-routes.ts';
import {
  objectAnswerSchema,
  objectBodySchema,
  type ObjectAnswer,
  type ObjectBody,
} from '../../model/objects.ts';
import { authorizeLinks } from '../access.ts';
import { admitUpload, isCounted, isHeld } from '../announce.ts';
import { countLinked, downloadLink, selfLink, uploadLinks, type LinkBase } from '../links.ts';
import { answerType, checkAccept } from '../negotiate.ts';
import type { ObjectParts } from '../parts.ts';

/** `GET` and `POST /objects`: the hypermedia API of the specification. */
export function objectRoutes(parts: ObjectParts): Route[] {
  return repositoryBases.flatMap(({ base, repository, object }) => [
    route({
      method: 'GET',
      path: `${base}/objects/{oid}`,
      summary: 'Tells the size of an object and where its content is.',
      params: object,
      answers: { 200: objectAnswerSchema },
      async handle({ ctx, params }) {
        checkAccept(ctx);
        const { oid } = params;
        const request = { ...params, operation: 'download' } as const;
        const { permit, links } = await authorizeLinks(ctx, request, parts);
        const size = await parts.holdings.size(permit.repository.id, oid);
        if (size === undefined || !(await isHeld(permit, { oid, size }, parts, 'download'))) {
          throw new WaypointError('not_found');
        }
        await countLinked(links, size, parts);
        const json = await stored(links, { oid, size }, parts);
        return { status: 200, json, contentType: answerType(ctx) };
      },
    }),
    route({
      method: 'POST',
      path: `${base}/objects`,
      summary: 'Announces an upload: 200 when the object is there, else 202 with where to send it.',
      params: repository,
      body: objectBodySchema,
      answers: { 200: objectAnswerSchema, 202: objectAnswerSchema },
      async handle({ ctx, params, body }) {
        checkAccept(ctx);
        const request = { ...params, operation: 'upload' } as const;
        const { permit, links } = await authorizeLinks(ctx, request, parts);
        const contentType = answerType(ctx);
        if (await isHeld(permit, body, parts)) {
          // A link past this server is left out: its bytes are not counted.
          const json: ObjectAnswer = parts.contents.keepsApart
            ? { ...body, authenticated: true, _links: { self: selfLink(links, body) } }
            : await stored(links, body, parts);
          return { status: 200, json, contentType };
        }
        const free = await parts.freeBytes();
        const room = { free, planned: 0, isCounted: await isCounted(permit, body, parts) };
        await admitUpload(permit, body, room, parts);
        const _links = await uploadLinks(links, body, parts);
        return { status: 202, json: { ...body, authenticated: true, _links }, contentType };
      },
    }),
  ]);
}

async function stored(
  links: LinkBase,
  object: ObjectBody,
  parts: ObjectParts,
): Promise<ObjectAnswer> {
  const download = await downloadLink(links, object, parts);
  return { ...object, authenticated: true, _links: { self: selfLink(links, object), download } };
}
