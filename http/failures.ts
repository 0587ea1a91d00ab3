import { toFailure, type WaypointError } from '../model/failure.ts';
import type { Log } from '../model/process.ts';
import { sendRefusal, standardHeaders } from './answer.ts';
import { describeError } from './error-description.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './http-limits.ts';

/**
 * Turns anything thrown into the one error answer of every API, and logs it under its request id. Where an answer has
 * begun, the connection is broken instead: a cut answer must never look whole.
 */
export async function answerFailure(
  exchange: Exchange,
  error: unknown,
  limits: HttpLimits,
  log: Log,
): Promise<WaypointError> {
  const failure = toFailure(error);
  logFailure(exchange, failure, log);
  const { req, res, requestId } = exchange;
  if (!exchange.isOver) {
    const { status, code, message, field } = failure;
    const body = { message, code, request_id: requestId, ...(field !== undefined && { field }) };
    const headers = failureHeaders(exchange, failure);
    await sendRefusal(exchange, status, headers, JSON.stringify(body), limits);
  } else if (!res.writableEnded && !res.destroyed) {
    // A reset rather than an orderly end: for HTTP/1.0 clients an orderly end is what completes an answer.
    req.socket.resetAndDestroy();
  }
  return failure;
}

function failureHeaders(exchange: Exchange, failure: WaypointError): string[] {
  const headers = standardHeaders(exchange);
  if (failure.code === 'unauthorized') headers.push('WWW-Authenticate', 'Bearer');
  if (failure.retryAfterSeconds !== undefined) {
    headers.push('Retry-After', String(failure.retryAfterSeconds));
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
