import { on } from 'node:events';
import { WaypointError } from '../model/failure.ts';
import { beginBody } from './body.ts';
import type { Context } from './context.ts';

/** Pieces from this size on have memory of their own. */
const freedBytes = 16_384;

/** How many pieces, of 64 KiB at most, the connection runs ahead of the handler. */
const aheadPieces = 4;

/** How long the body of a request is, as announced, in bytes; undefined for one that is sent in chunks. */
export function announcedLength({ req: { headers } }: Context): number | undefined {
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] !== undefined) return undefined;
  return Number(length ?? 0);
}

/**
 * The bytes of a body as they come, to be read once; each piece is good until the next one is asked for. Node's own
 * iterator of a request costs an upload a third of its speed.
 * @throws WaypointError bad_request when the client hangs up, timeout when it sends nothing for HttpLimits.idleBodyMs.
 */
export async function* bodyPieces(ctx: Context): AsyncGenerator<Uint8Array> {
  const { req, limits } = ctx;
  beginBody(ctx);
  // Neither would say so again.
  if (req.readableEnded) return;
  if (req.destroyed) throw new WaypointError('bad_request');
  const events = on(req, 'data', {
    close: ['end', 'close'],
    highWaterMark: aheadPieces,
    lowWaterMark: 1,
  });
  const onIdle = (): unknown => req.destroy(new WaypointError('timeout'));
  let timer = setTimeout(onIdle, limits.idleBodyMs);
  try {
    for await (const [piece] of events as AsyncIterable<[Uint8Array]>) {
      // The time that it takes to store a piece is not the client's.
      clearTimeout(timer);
      yield piece;
      free(piece);
      timer = setTimeout(onIdle, limits.idleBodyMs);
    }
  } catch (cause) {
    throw cause instanceof WaypointError ? cause : new WaypointError('bad_request', { cause });
  } finally {
    clearTimeout(timer);
    req.pause();
  }
  if (!req.readableEnded) throw new WaypointError('bad_request');
}

/**
 * Gives the memory of a piece back at once. Left to the garbage collector, which sees little of it, the pieces of a large
 * body make up two thirds of the process and a fifth of the work.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < freedBytes) return;
  // Only memory that is all this piece's: small ones may share theirs.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
