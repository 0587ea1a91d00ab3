import { bodyPieces } from '../../http/body.ts';
import { announcedLength, headerValues, type Context } from '../../http/context.ts';
import { notModified } from '../../model/etag.ts';
import { route, type Answer, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { repositoryBases, uploadQuery, type ObjectParams } from '../../model/object-routes.ts';
import type { OpenContent } from '../../storage/content-store/content-store.ts';
import { pathOf } from '../../storage/objects/directory.ts';
import { authorize, type Permit } from '../access.ts';
import { readRange, type ByteRange } from '../../http/byte-range.ts';
import type { ObjectParts } from '../parts.ts';
import { receiveObject } from '../receive-object.ts';
import { sendBytes } from '../send-bytes.ts';

const contentType = 'application/octet-stream';
const acceptRanges = { 'Accept-Ranges': 'bytes' };

/** `/objects/{oid}/content`: the bytes. */
export function contentRoutes(parts: ObjectParts): Route[] {
  return repositoryBases.flatMap(({ base, object }) => {
    const path = `${base}/objects/{oid}/content`;
    return [
      ...(['GET', 'HEAD'] as const).map((method) =>
        route({
          method,
          path,
          summary: 'Sends the content of an object, one range of it, or its size alone.',
          params: object,
          answers: { 200: null, 206: null, 304: null },
          handle: ({ ctx, params }) => sendContent(ctx, params, parts),
        }),
      ),
      route({
        method: 'PUT',
        path,
        summary: 'Takes the content of an announced object.',
        params: object,
        query: uploadQuery,
        readsContent: true,
        answers: { 200: null },
        async handle({ ctx, params, query }) {
          const { oid } = params;
          const permit = await authorize(ctx, { ...params, operation: 'upload' }, parts);
          const size = announcedSize(query.size, announcedLength(ctx));
          await receiveObject(permit, { oid, size }, bodyPieces(ctx), parts);
          note('objects.received', permit, oid, size, parts);
          return { status: 200 };
        },
      }),
    ];
  });
}

/** @throws WaypointError content_mismatch */
function announcedSize(inLink: number | undefined, length: number | undefined): number {
  const size = inLink ?? length;
  if (size === undefined || (length !== undefined && length !== size)) {
    throw new WaypointError('content_mismatch');
  }
  return size;
}

async function sendContent(
  ctx: Context,
  params: ObjectParams,
  parts: ObjectParts,
): Promise<Answer> {
  const { oid } = params;
  const permit = await authorize(ctx, { ...params, operation: 'download' }, parts);
  const { held } = permit;
  const contents = parts.contents.of(pathOf(permit.repository));
  const content = held === undefined ? undefined : await contents.get(oid);
  if (content === undefined) throw new WaypointError('not_found');
  try {
    // A file that was cut is as good as none: its object is asked for again.
    if (content.size !== held) throw new WaypointError('not_found');
    return await answerContent(ctx, { permit, oid, content }, parts);
  } catch (error) {
    content.close();
    throw error;
  }
}

async function answerContent(
  ctx: Context,
  { permit, oid, content }: { permit: Permit; oid: string; content: OpenContent },
  parts: ObjectParts,
): Promise<Answer> {
  const { size } = content;
  if (notModified(headerValues(ctx, 'if-none-match').join(', ') || undefined, oid)) {
    content.close();
    return { status: 304, etag: oid };
  }
  // A range of HEAD means nothing.
  const range = ctx.method === 'HEAD' ? 'whole' : wantedRange(ctx, oid, size);
  const { from, to } = range === 'whole' ? { from: 0, to: size } : range;
  const length = to - from;
  if (ctx.method === 'HEAD') {
    content.close();
    const own = { 'Content-Type': contentType, 'Content-Length': String(size) };
    return { status: 200, etag: oid, headers: { ...acceptRanges, ...own } };
  }
  await parts.traffic.reserve(permit.repository.id, length);
  const headers = { ...acceptRanges, 'Content-Length': String(length) };
  const contentRange = { 'Content-Range': `bytes ${from}-${to - 1}/${size}` };
  const read = (buffer: Uint8Array, at: number): Promise<number> => content.read(buffer, from + at);
  const close = (sent: number): void => {
    content.close();
    parts.traffic.add(permit.repository.id, 'sent', sent - length);
    note('objects.sent', permit, oid, sent, parts);
  };
  return {
    status: range === 'whole' ? 200 : 206,
    etag: oid,
    contentType,
    headers: range === 'whole' ? headers : { ...headers, ...contentRange },
    write: (begin) => sendBytes(ctx, begin, { length, read, close }),
  };
}

/** @throws WaypointError range */
function wantedRange(ctx: Context, oid: string, size: number): ByteRange | 'whole' {
  const [condition] = headerValues(ctx, 'if-range');
  if (condition !== undefined && condition.trim() !== `"${oid}"`) return 'whole';
  const range = readRange(headerValues(ctx, 'range').join(', '), size);
  if (range === 'none')
    throw new WaypointError('range', { headers: { 'Content-Range': `bytes */${size}` } });
  return range;
}

/** Log entry for an administrator: user, bytes, and the beginning of the oid. */
function note(
  event: string,
  { repository, user }: Permit,
  oid: string,
  bytes: number,
  { log }: ObjectParts,
): void {
  log.info(event, {
    repository: pathOf(repository),
    user: user?.name ?? 'anonymous',
    oid: oid.slice(0, 8),
    bytes,
  });
}
