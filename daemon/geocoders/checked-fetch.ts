import type { Suggestion } from '../../model/search.ts';
import { ServerFailed } from './server-failed.ts';

/**
 * Asks a geocoding server for places, best first.
 * @param limit How many at most.
 * @throws ServerFailed
 */
export type Lookup = (text: string, limit: number, signal: AbortSignal) => Promise<Suggestion[]>;

export interface Manners {
  readonly userAgent: string;
  /** ms since 1970, to read a date in `Retry-After`. */
  readonly now: () => number;
}

/** Gets the text of an answer from a geocoding server, with our name and within our limits. */
export type CheckedFetch = (url: URL, signal: AbortSignal) => Promise<string>;

/** The address of a resource of the server; the base may have a path of its own. */
export function serverUrl(base: string, path: string, query: Record<string, string>): URL {
  const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
  url.search = new URLSearchParams(query).toString();
  return url;
}

/** Twelve places have some 10 KB. */
const maxBytes = 262_144;
const jsonType = /^application\/(?:[\w.-]+\+)?json$/i;

/**
 * Makes a `fetch` for JSON that follows no redirect, unpacks nothing, and reads an answer to its limit at most. It throws
 * ServerFailed.
 */
export function checkedFetch({ userAgent, now }: Manners): CheckedFetch {
  const headers = {
    'user-agent': userAgent,
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  return async (url, signal) => {
    let response: Response | undefined;
    try {
      response = await fetch(url, { headers, signal, redirect: 'manual' });
      checkHead(response, now());
      return await readBody(response);
    } catch (error) {
      // What is not read to its end must not go on.
      response?.body?.cancel().catch(() => undefined);
      if (error instanceof ServerFailed) throw error;
      // fetch says that it has failed, and why in the cause.
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new ServerFailed(signal.aborted ? 'timeout' : 'unreachable', { cause });
    }
  };
}

function checkHead({ status, headers }: Response, now: number): void {
  if (status >= 300 && status < 400) throw new ServerFailed('redirect', { status });
  if (status !== 200) {
    const retryAfterMs = readRetryAfter(headers.get('retry-after') ?? '', now);
    throw new ServerFailed('status', { status, retryAfterMs });
  }
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (!jsonType.test(type.trim())) throw new ServerFailed('content_type');
  // A packed answer may be a thousand times its size.
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new ServerFailed('encoding');
  if (Number(headers.get('content-length')) > maxBytes) throw new ServerFailed('too_large');
}

async function readBody({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new ServerFailed('too_large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Reads `Retry-After`, seconds or a date, as ms from now; undefined when it is neither. */
function readRetryAfter(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
