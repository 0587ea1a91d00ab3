import { on } from 'node:events';
import { describeError } from '../model/error-description.ts';
import { toFailure, type WaypointError } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { expectsContinue, hasBody, isOver, standardHeaders, type Context } from './context.ts';

/** Sets the headers that one API adds to its failures. @returns further fields of the body. */
export type FailureStyle = (
  ctx: Context,
  failure: WaypointError,
) => Readonly<Record<string, string>> | undefined;

/** For APIs that want a bearer token. */
export const bearerFailures: FailureStyle = (ctx, { code }) => {
  if (code === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer');
  return undefined;
};

/**
 * Turns anything thrown into the one error answer of every API, and logs it under its request id. Where an answer has
 * begun, the connection is broken instead: a cut answer must never look whole.
 */
export async function answerFailure(
  ctx: Context,
  error: unknown,
  { log, style }: { readonly log: Log; readonly style: FailureStyle },
): Promise<WaypointError> {
  const failure = toFailure(error);
  logFailure(ctx, failure, log);
  const { req, res } = ctx;
  if (!isOver(ctx)) {
    setFailure(ctx, failure, style);
    if (hasBody(ctx) && !req.readableEnded) await endUnread(ctx);
  } else if (!res.writableEnded && !res.destroyed) {
    // A reset rather than an orderly end: for HTTP/1.0 clients an orderly end is what completes an answer.
    req.socket.resetAndDestroy();
  }
  return failure;
}

/** Puts the failure into Koa's response, where the route has put nothing yet. */
function setFailure(ctx: Context, failure: WaypointError, style: FailureStyle): void {
  const { status, code, message, field, headers } = failure;
  ctx.set({ ...standardHeaders(ctx), ...headers, 'Content-Type': 'application/json' });
  const fields = style(ctx, failure);
  ctx.status = status;
  // An absent field is left out.
  ctx.body = JSON.stringify({ message, code, request_id: ctx.state.requestId, field, ...fields });
}

/**
 * A body that was not read ends the connection. The rest of it is thrown away for a moment, so that the client gets to see
 * the refusal.
 */
async function endUnread(ctx: Context): Promise<void> {
  const { res } = ctx;
  res.shouldKeepAlive = false;
  if (expectsContinue(ctx)) return;
  // The answer is complete with this write; `end` only ends the connection.
  res.write(ctx.body);
  await discardBody(ctx);
  res.end();
}

async function discardBody({ req, limits }: Context): Promise<void> {
  // Nothing comes after a FIN.
  if (req.socket.readableEnded) return;
  const signal = AbortSignal.timeout(limits.lingerMs);
  let left = limits.lingerBytes;
  try {
    const chunks = on(req, 'data', { close: ['end', 'close'], signal });
    // A reader that gave up in the middle has paused it.
    req.resume();
    for await (const [chunk] of chunks) {
      left -= chunk.length;
      if (left < 0) return;
    }
  } catch {
    // The time is over, or the client is gone.
  }
}

function logFailure({ req, res, state }: Context, failure: WaypointError, log: Log): void {
  const { code, cause, status } = failure;
  const method = req.method ?? 'none';
  const details = { request_id: state.requestId, method, route: state.route, code };
  // Not our fault: a client that hung up, and refusals of the server's own, which have no cause.
  const isHangUp = res.destroyed && cause instanceof Error && cause.name === 'AbortError';
  if (status < 500 || isHangUp || cause === undefined) log.debug('http.refused', details);
  else log.error('http.failed', { ...details, ...describeError(cause) });
}
