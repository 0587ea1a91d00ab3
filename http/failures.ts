import { describeError } from '../model/error-description.ts';
import { toFailure, type WaypointError } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { allowedMethods, expectsContinue, hasBody, isOver, type Context } from './context.ts';
import { setStandardHeaders } from './standard-headers.ts';

/** What one API adds to the answer that every failure gets. */
export type FailureStyle = (
  ctx: Context,
  failure: WaypointError,
) => {
  /** `application/json` unless it says otherwise. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body. */
  readonly fields?: Readonly<Record<string, string>>;
};

/** For APIs that want a bearer token. */
export const bearerFailures: FailureStyle = (_ctx, failure) =>
  failure.code === 'unauthorized' ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {};

interface FailureContext {
  readonly log: Log;
  readonly style: FailureStyle;
}

/**
 * Turns anything thrown into the one error answer of every API, and logs it under its request id. Where an answer has
 * begun, the connection is broken instead: a cut answer must never look whole.
 */
export async function answerFailure(
  ctx: Context,
  error: unknown,
  { log, style }: FailureContext,
): Promise<WaypointError> {
  const failure = toFailure(error);
  logFailure(ctx, failure, log);
  const { req, res } = ctx;
  if (isOver(ctx)) {
    // A reset rather than an orderly end: for HTTP/1.0 clients an orderly end is what completes an answer.
    if (!res.writableEnded && !res.destroyed) req.socket.resetAndDestroy();
    return failure;
  }
  setFailure(ctx, failure, style);
  if (hasBody(ctx) && !req.readableEnded) await endUnread(ctx);
  return failure;
}

/** Puts the failure into Koa's response, in place of all that the route has put there. */
function setFailure(ctx: Context, failure: WaypointError, style: FailureStyle): void {
  const { code, message, field, retryAfterSeconds, contentBytes } = failure;
  const { contentType = 'application/json', headers = {}, fields } = style(ctx, failure);
  for (const name of ctx.res.getHeaderNames()) ctx.remove(name);
  setStandardHeaders(ctx);
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
  if (contentBytes !== undefined) ctx.set('Content-Range', `bytes */${contentBytes}`);
  if (code === 'method_not_allowed') ctx.set('Allow', allowedMethods(ctx).join(', '));
  ctx.set({ ...headers, 'Content-Type': contentType });
  ctx.status = failure.status;
  const known = field === undefined ? {} : { field };
  ctx.body = JSON.stringify({
    message,
    code,
    request_id: ctx.state.requestId,
    ...known,
    ...fields,
  });
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

function discardBody({ req, limits }: Context): Promise<void> {
  return new Promise((resolve) => {
    let left = limits.lingerBytes;
    const finish = (): void => {
      clearTimeout(timer);
      req.off('data', onData);
      req.pause();
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) finish();
    };
    const timer = setTimeout(finish, limits.lingerMs);
    req.on('data', onData);
    for (const event of ['end', 'error', 'close']) req.once(event, finish);
    req.resume();
  });
}

function logFailure({ req, res, state }: Context, failure: WaypointError, log: Log): void {
  const { requestId, route } = state;
  const method = req.method ?? 'none';
  const details = { request_id: requestId, method, route, code: failure.code };
  // What a handler throws because its client is gone is no fault of ours.
  const isHangUp = res.destroyed && isAbort(failure.cause);
  if (failure.status < 500 || isHangUp) log.debug('http.refused', details);
  else log.error('http.failed', { ...details, ...describeError(failure.cause ?? failure) });
}

function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'AbortError';
}
