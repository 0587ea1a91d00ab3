import { toFailure, type WaypointError } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { sendRefusal, standardHeaders } from './answer.ts';
import { describeError } from '../model/error-description.ts';
import type { Exchange, RequestHead } from './exchange.ts';
import type { HttpLimits } from './http-limits.ts';

/** What one API adds to the answer that every failure gets. */
export type FailureStyle = (
  head: RequestHead,
  failure: WaypointError,
) => {
  /** `application/json` unless it says otherwise. */
  readonly contentType?: string;
  /** Further headers, name after value. */
  readonly headers?: readonly string[];
  /** Further fields of the body. */
  readonly fields?: Readonly<Record<string, string>>;
};

/** For APIs that want a bearer token. */
export const bearerFailures: FailureStyle = (_head, failure) =>
  failure.code === 'unauthorized' ? { headers: ['WWW-Authenticate', 'Bearer'] } : {};

interface FailureContext {
  readonly limits: HttpLimits;
  readonly log: Log;
  readonly style: FailureStyle;
}

/**
 * Turns anything thrown into the one error answer of every API, and logs it under its request id. Where an answer has
 * begun, the connection is broken instead: a cut answer must never look whole.
 */
export async function answerFailure(
  exchange: Exchange,
  error: unknown,
  { limits, log, style }: FailureContext,
): Promise<WaypointError> {
  const failure = toFailure(error);
  logFailure(exchange, failure, log);
  const { req, res, requestId } = exchange;
  if (!exchange.isOver) {
    const { status, code, message, field } = failure;
    const {
      contentType = 'application/json',
      headers: more = [],
      fields,
    } = style(exchange, failure);
    const known = field === undefined ? {} : { field };
    const text = JSON.stringify({ message, code, request_id: requestId, ...known, ...fields });
    const headers = [...failureHeaders(exchange, failure), ...more];
    await sendRefusal(exchange, { status, headers, contentType, text }, limits);
  } else if (!res.writableEnded && !res.destroyed) {
    // A reset rather than an orderly end: for HTTP/1.0 clients an orderly end is what completes an answer.
    req.socket.resetAndDestroy();
  }
  return failure;
}

function failureHeaders(exchange: Exchange, failure: WaypointError): string[] {
  const headers = standardHeaders(exchange);
  if (failure.retryAfterSeconds !== undefined) {
    headers.push('Retry-After', String(failure.retryAfterSeconds));
  }
  if (failure.contentBytes !== undefined) {
    headers.push('Content-Range', `bytes */${failure.contentBytes}`);
  }
  if (exchange.allow !== undefined) headers.push('Allow', exchange.allow);
  return headers;
}

function logFailure(exchange: Exchange, failure: WaypointError, log: Log): void {
  const { requestId, method, route, res } = exchange;
  const details = { request_id: requestId, method, route, code: failure.code };
  // What a handler throws because its client is gone is no fault of ours.
  const isHangUp = res.destroyed && isAbort(failure.cause);
  if (failure.status < 500 || isHangUp) log.debug('http.refused', details);
  else log.error('http.failed', { ...details, ...describeError(failure.cause ?? failure) });
}

function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'AbortError';
}
