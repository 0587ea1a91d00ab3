import { httpFailure, RequestFailure, sendFailure, timeoutFailure } from './request-failure.ts';

/** Where the API is and what opens it. */
export interface Access {
  /** Origin, and perhaps a path, without a slash at the end; empty for the page's own origin. */
  readonly base: string;
  /** Empty where a proxy adds the token. */
  readonly token: string;
}

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** Parsed JSON; null for an empty body, the text itself for one that is not JSON. */
  readonly value: unknown;
}

/** Far above every answer that is read whole; a runaway one must not fill the memory. */
const maxAnswerBytes = 536_870_912;
/** More of a failure is neither shown nor understood. */
const maxFailureBytes = 65_536;
/** What RFC 6750 lets a token consist of. Others would have their text repeated by an error of the platform. */
const tokenForm = /^[\w.~+/=-]*$/;

/**
 * Sends one request and reads its answer.
 * @throws RequestFailure for an error status, a timeout, or no answer.
 */
export async function send(access: Access, request: HttpRequest): Promise<HttpAnswer> {
  const { timeoutMs } = request;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(access.base + request.path, {
      ...describe(access, request),
      signal: abort.signal,
    });
    return await read(response);
  } catch (error) {
    if (error instanceof RequestFailure) throw error;
    throw abort.signal.aborted ? timeoutFailure(timeoutMs) : sendFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

function describe({ token }: Access, { method, body }: HttpRequest): RequestInit {
  if (!tokenForm.test(token)) throw new Error('the API token is malformed');
  const headers: Record<string, string> = {};
  if (token !== '') headers['authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    method,
    headers,
    // The token is for this one address.
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

async function read(response: Response): Promise<HttpAnswer> {
  const { ok, status } = response;
  const parts: string[] = [];
  try {
    await collect(response, parts, ok ? maxAnswerBytes : maxFailureBytes);
  } catch (error) {
    // Of a failure the status says enough, and of its text the beginning.
    if (ok) throw error;
  }
  const text = parts.join('');
  const value = parse(text);
  if (!ok) throw httpFailure(status, text, failureWords(value));
  return { status, value };
}

async function collect(response: Response, parts: string[], maxBytes: number): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new Error('the answer is too large');
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  parts.push(decoder.decode());
}

function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text; // Tolerated: the status says that the request succeeded.
  }
}

function failureWords(value: unknown): { code?: string | undefined; field?: string | undefined } {
  if (typeof value !== 'object' || value === null) return {};
  const code = 'code' in value && typeof value.code === 'string' ? value.code : undefined;
  const field = 'field' in value && typeof value.field === 'string' ? value.field : undefined;
  return { code, field };
}
