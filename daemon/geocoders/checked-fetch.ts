import {
  isCoded,
  openAnswer,
  retryAfterMs,
  type NodeAnswer,
  type TransportFault,
} from '../../client/node-request.ts';
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

/** Makes what gets JSON: it follows no redirect, unpacks nothing, and reads an answer to its limit at most. It throws ServerFailed. */
export function checkedFetch({ userAgent, now }: Manners): CheckedFetch {
  const headers = {
    'user-agent': userAgent,
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  return async (url, signal) => {
    let answer: NodeAnswer | undefined;
    try {
      answer = await openAnswer({ method: 'GET', url, headers, signal, silenceMs: 0, fail });
      checkHead(answer, now());
      return await answer.text(maxBytes);
    } catch (error) {
      // What is not read to its end must not go on.
      answer?.close();
      throw signal.aborted && !(error instanceof ServerFailed)
        ? new ServerFailed('timeout')
        : error;
    }
  };
}

function fail(fault: TransportFault, cause?: unknown): ServerFailed {
  return new ServerFailed(fault === 'too_long' ? 'too_large' : 'unreachable', { cause });
}

function checkHead(answer: NodeAnswer, now: number): void {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) throw new ServerFailed('redirect', { status });
  if (status !== 200) {
    throw new ServerFailed('status', { status, retryAfterMs: retryAfterMs(answer, now) });
  }
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (!jsonType.test(type.trim())) throw new ServerFailed('content_type');
  if (isCoded(answer)) throw new ServerFailed('encoding');
  if (Number(headers['content-length']) > maxBytes) throw new ServerFailed('too_large');
}
