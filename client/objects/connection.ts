import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { objectMediaType, type Link, type Operation } from '../../model/objects.ts';
import { lowerCased, type CredentialSource } from './credentials.ts';
import { ObjectClientError, refusal } from './object-error.ts';
import { readText, retryAfterOf, send, type RequestHeaders } from './request.ts';

export interface ConnectionOptions {
  /** URL of the repository: `https://host/OWNER/NAME`. */
  readonly baseUrl: string;
  readonly credentials?: CredentialSource;
  /** Origins that links may lead to; by default any. */
  readonly origins?: readonly string[];
  /** The connection may be silent for this long, ms. */
  readonly stallMs?: number;
  /** Pauses before each further try of what may succeed then, ms. */
  readonly pausesMs?: readonly number[];
  /** A server that asks to wait longer than this has refused, ms. */
  readonly longestWaitMs?: number;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** Below the repository's URL, with a slash first. */
  readonly path: string;
  readonly operation: Operation;
  readonly oid?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface LinkCall {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly operation: Operation;
  readonly oid: string;
  readonly headers?: RequestHeaders;
  /** Made anew for every try. */
  readonly body?: () => string | Readable;
  /** Statuses that are an answer. */
  readonly accepted: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

const maxRedirects = 5;
const followedForGet = new Set([301, 302, 303, 307]);
const retried = new Set([500, 502, 503, 504]);

/** Speaks to one repository by the rules of the specification: who is followed where, and who gets to see credentials. */
export class Connection {
  readonly #base: URL;
  readonly #options: Required<Omit<ConnectionOptions, 'credentials' | 'origins' | 'baseUrl'>>;
  readonly #credentials: CredentialSource | undefined;
  readonly #origins: readonly string[] | undefined;

  constructor(options: ConnectionOptions) {
    this.#base = new URL(options.baseUrl.replace(/\/+$/u, ''));
    this.#credentials = options.credentials;
    this.#origins = options.origins;
    this.#options = {
      stallMs: options.stallMs ?? 30_000,
      pausesMs: options.pausesMs ?? [1_000, 2_000, 4_000, 8_000],
      longestWaitMs: options.longestWaitMs ?? 60_000,
    };
  }

  /**
   * Calls the API and follows redirections as far as it may.
   * @returns status and body of an answer below 300.
   * @throws ObjectClientError
   */
  async call(call: ApiCall): Promise<{ status: number; body: string }> {
    return this.#trying(call.signal, async () => {
      const answer = await this.#callOnce(call);
      const status = answer.statusCode ?? 0;
      const body = await readText(answer);
      if (status >= 200 && status < 300) return { status, body };
      throw refusal(status, body, retryAfterOf(answer));
    });
  }

  /**
   * Follows a link; any status but the accepted ones is an error, redirections too.
   * @param isRetried whether a server's fault is tried again here.
   */
  async follow(link: Link, call: LinkCall, isRetried = true): Promise<IncomingMessage> {
    const once = (): Promise<IncomingMessage> => this.#followOnce(link, call);
    return isRetried ? this.#trying(call.signal, once) : once();
  }

  async #callOnce(call: ApiCall): Promise<IncomingMessage> {
    const { method, signal } = call;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    let url = new URL(this.#base.href + call.path);
    let headers = { ...(await this.#apiHeaders(call)), ...bodyHeaders(body) };
    const content = body === undefined ? {} : { body };
    const { stallMs } = this.#options;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send({ method, url, headers, ...content, signal, stallMs });
      const next = redirectionOf(answer, method, url);
      if (next === undefined) return answer;
      answer.destroy();
      if (redirects === maxRedirects) throw broken('The server redirects without end.');
      // All headers go along, but who we are is not told to another host.
      if (next.origin !== url.origin) headers = withoutAuthorization(headers);
      url = next;
    }
  }

  async #apiHeaders({ operation, oid }: ApiCall): Promise<RequestHeaders> {
    const credentials = await this.#credentials?.({ url: this.#base, operation, oid });
    return { accept: objectMediaType, ...credentials };
  }

  async #followOnce(link: Link, call: LinkCall): Promise<IncomingMessage> {
    const url = this.#linkUrl(link);
    const { method, operation, oid, body, signal, accepted } = call;
    const own = lowerCased(link.header ?? {});
    const isOurs = url.origin === this.#base.origin;
    const credentials =
      isOurs && own['authorization'] === undefined
        ? await this.#credentials?.({ url: this.#base, operation, oid })
        : undefined;
    const content = body?.();
    const answer = await send({
      method,
      url,
      headers: { 'accept-encoding': 'identity', ...call.headers, ...credentials, ...own },
      ...(content === undefined ? {} : { body: content }),
      signal,
      stallMs: this.#options.stallMs,
    });
    const status = answer.statusCode ?? 0;
    if (accepted.includes(status)) return answer;
    throw refusal(status, await readText(answer), retryAfterOf(answer));
  }

  #linkUrl(link: Link): URL {
    const url = URL.canParse(link.href) ? new URL(link.href) : undefined;
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      throw broken('The server gave a link that leads nowhere.');
    }
    if (this.#base.protocol === 'https:' && url.protocol === 'http:') {
      throw broken('The server gave a link from https to http.');
    }
    const isAllowed = this.#origins === undefined || this.#origins.includes(url.origin);
    if (!isAllowed) throw broken('The server gave a link to a foreign host.');
    return url;
  }

  /** Tries again what may succeed a moment later. */
  async #trying<T>(signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const pauseMs = this.pauseAfter(error, tries);
        if (pauseMs === undefined) throw error;
        await delay(pauseMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  }

  /** How long to wait before trying again; undefined for what had better not be. */
  pauseAfter(error: unknown, tries: number): number | undefined {
    const { pausesMs, longestWaitMs } = this.#options;
    const pause = pausesMs[tries];
    if (!(error instanceof ObjectClientError) || pause === undefined) return undefined;
    const { failure, status = 0, retryAfter } = error;
    if (failure === 'unreachable' || failure === 'stalled') return pause;
    if (failure !== 'http' || (status !== 429 && !retried.has(status))) return undefined;
    const waitMs = retryAfter === undefined ? pause : retryAfter * 1_000;
    return waitMs > longestWaitMs ? undefined : waitMs;
  }
}

function bodyHeaders(body: string | undefined): RequestHeaders {
  if (body === undefined) return {};
  return { 'content-type': objectMediaType, 'content-length': String(Buffer.byteLength(body)) };
}

/** Where an answer to an API call redirects to, if it does and may. 308 is no redirection here. */
function redirectionOf(answer: IncomingMessage, method: string, url: URL): URL | undefined {
  const status = answer.statusCode ?? 0;
  const isFollowed = method === 'GET' ? followedForGet.has(status) : status === 307;
  const { location } = answer.headers;
  return isFollowed && location !== undefined ? nextUrl(url, location) : undefined;
}

function nextUrl(url: URL, location: string): URL {
  if (!URL.canParse(location, url.href)) throw broken('The server redirects to nowhere.');
  const next = new URL(location, url);
  if (next.protocol !== 'https:' && next.protocol !== 'http:') {
    throw broken('The server redirects to nowhere.');
  }
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw broken('The server redirects from https to http.');
  }
  return next;
}

function withoutAuthorization(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}

function broken(message: string): ObjectClientError {
  return new ObjectClientError('protocol', message);
}
