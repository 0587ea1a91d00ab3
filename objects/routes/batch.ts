import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { repositoryBases } from '../../model/object-routes.ts';
import {
  batchAnswerSchema,
  batchRequestSchema,
  objectBodySchema,
  type BatchObject,
  type Link,
  type Operation,
} from '../../model/objects.ts';
import { authorizeLinks } from '../access.ts';
import { admitUpload, isCounted, isHeld, type Room } from '../announce.ts';
import { linkLifeMs } from '../config.ts';
import { countLinked, downloadLink, uploadLinks } from '../links.ts';
import { answerType, checkAccept } from '../negotiate.ts';
import type { ObjectParts } from '../parts.ts';

/** Where the batch API is switched off: 404 makes clients that know the older API fall back to it; 405 would not. */
export function noBatchRoutes(): Route[] {
  return repositoryBases.map(({ base }) =>
    route({
      method: 'POST',
      path: `${base}/objects/batch`,
      summary: 'Always 404: the batch API is switched off.',
      answers: {},
      handle() {
        throw new WaypointError('not_found');
      },
    }),
  );
}

/** More would keep the bucket, or the database, from other requests. */
const lookedUpAtOnce = 16;

/** `POST /objects/batch`: what git-lfs speaks today, with its basic transfer. */
export function batchRoutes(parts: ObjectParts): Route[] {
  return repositoryBases.map(({ base, repository }) =>
    route({
      method: 'POST',
      path: `${base}/objects/batch`,
      summary: 'Announces many uploads or downloads of git-lfs.',
      params: repository,
      body: batchRequestSchema,
      answers: { 200: batchAnswerSchema },
      async handle({ ctx, params, body }) {
        checkAccept(ctx);
        const { operation, hash_algo: hash = 'sha256' } = body;
        const entered = await authorizeLinks(ctx, { ...params, operation }, parts);
        if (hash !== 'sha256') throw new WaypointError('conflict');
        const objects: BatchObject[] = [];
        const batch = { operation, free: await parts.freeBytes(), planned: 0 };
        const items: LookedUp[] = [];
        // In the order asked for, which clients rely on.
        for (let n = 0; n < body.objects.length; n += 1) {
          for (const item of body.objects.slice(items.length, n + lookedUpAtOnce))
            items.push(lookUp(item, operation, entered, parts));
          objects.push(await entry(items[n]!, batch, entered, parts));
        }
        return {
          status: 200,
          json: { transfer: 'basic', objects, hash_algo: 'sha256' },
          contentType: answerType(ctx),
        };
      },
    }),
  );
}

type Entered = Awaited<ReturnType<typeof authorizeLinks>>;

/** Progress of a batch. */
interface Batch extends Omit<Room, 'isCounted'> {
  readonly operation: Operation;
  /** Grows with each upload that is let in: together they must fit. */
  planned: number;
}

/** An object of a batch, with whether it is there being found out: a bucket is asked for many at once. */
type LookedUp = ReturnType<typeof lookUp>;

function lookUp(item: unknown, operation: Operation, { permit }: Entered, parts: ObjectParts) {
  const parsed = objectBodySchema.safeParse(item);
  const held = parsed.success
    ? isHeld(permit, parsed.data, parts, operation)
    : Promise.resolve(false);
  // Looked at in its turn.
  held.catch(() => undefined);
  return { item, parsed, held };
}

/** The answer for one object; a failure of it does not end the others. */
async function entry(
  { item, parsed, held }: LookedUp,
  batch: Batch,
  { permit, links }: Entered,
  parts: ObjectParts,
): Promise<BatchObject> {
  if (!parsed.success) {
    return { ...named(item), error: { code: 422, message: new WaypointError('invalid').message } };
  }
  const object = parsed.data;
  try {
    const isThere = await held;
    if (batch.operation === 'download') {
      if (!isThere) throw new WaypointError('not_found');
      await countLinked(links, object.size, parts);
      return withActions(object, {
        download: await downloadLink(links, object, parts),
      });
    }
    // No actions: nothing is to be sent.
    if (isThere) return object;
    const room = { ...batch, isCounted: await isCounted(permit, object, parts) };
    await admitUpload(permit, object, room, parts);
    batch.planned += object.size;
    return withActions(object, await uploadLinks(links, object, parts));
  } catch (error) {
    if (!(error instanceof WaypointError)) throw error;
    // 400 is not among the codes that clients know here.
    const code = error.status === 400 ? 422 : error.status;
    return { ...object, error: { code, message: error.message } };
  }
}

/** The fields by which a client finds its object again. */
function named(item: unknown): { oid: string; size: number } {
  const { oid, size } = (typeof item === 'object' && item !== null ? item : {}) as {
    oid?: unknown;
    size?: unknown;
  };
  return {
    oid: typeof oid === 'string' ? oid.slice(0, 128) : '',
    size: typeof size === 'number' ? size : 0,
  };
}

function withActions(
  object: { oid: string; size: number },
  actions: Record<string, Link>,
): BatchObject {
  const usual = Math.floor(linkLifeMs / 1_000);
  const lasting = Object.entries(actions).map(
    ([name, { href, header = {}, expires_in = usual }]) => [name, { href, header, expires_in }],
  );
  return { ...object, authenticated: true, actions: Object.fromEntries(lasting) };
}
