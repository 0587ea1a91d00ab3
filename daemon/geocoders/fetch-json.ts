import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ServerFailed } from './server-failed.ts';

export interface FetchJsonOptions {
  readonly userAgent: string;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** ms since 1970, to read a date in `Retry-After`. */
  readonly now: () => number;
}

/** Twelve places have some 10 KB. */
const maxBytes = 262_144;
const jsonType = /^application\/(?:[\w.-]+\+)?json$/i;

/**
 * Gets JSON from a server: no redirect is followed, nothing is unpacked, and an answer is read to its limit at most.
 * @throws ServerFailed
 */
export async function fetchJson(url: URL, options: FetchJsonOptions): Promise<unknown> {
  let response: IncomingMessage | undefined;
  try {
    response = await ask(url, options);
    checkHead(response, options.now());
    return parse(await readBody(response));
  } catch (cause) {
    if (cause instanceof ServerFailed) throw cause;
    throw new ServerFailed(options.signal.aborted ? 'timeout' : 'unreachable', { cause });
  } finally {
    // What nobody has read to its end must not go on.
    response?.destroy();
  }
}

function ask(url: URL, { userAgent, signal }: FetchJsonOptions): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = {
    'user-agent': userAgent,
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  return new Promise((resolve, reject) => {
    request(url, { headers, signal }, resolve).on('error', reject).end();
  });
}

function checkHead({ statusCode: status = 0, headers }: IncomingMessage, now: number): void {
  if (status >= 300 && status < 400) throw new ServerFailed('redirect', { status });
  if (status !== 200) {
    const retryAfterMs = readRetryAfter(headers['retry-after'], now);
    throw new ServerFailed('status', { status, retryAfterMs });
  }
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (!jsonType.test(type.trim())) throw new ServerFailed('content_type');
  // A packed answer may be a thousand times its size.
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new ServerFailed('encoding');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new ServerFailed('too_large');
}

async function readBody(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new ServerFailed('too_large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServerFailed('format');
  }
}

/** Reads `Retry-After`, seconds or a date, as ms from now; undefined when it is neither. */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
