import type { Readable } from 'node:stream';
import { objectMediaType, type Link, type Operation } from '../../model/objects.ts';
import { retryAfterMs, type NodeAnswer } from '../node-request.ts';
import { linkUrl, redirectionOf, repositoryUrl, type Territory } from './addresses.ts';
import { lowerCased, type CredentialSource } from './credentials.ts';
import { ObjectClientError, refusal } from './object-error.ts';
import { refuseCoding, send, textBytes, type RequestHeaders } from './request.ts';
import { Retries, type RetryOptions } from './retries.ts';

export interface ConnectionOptions extends RetryOptions {
  /** URL of the repository: `https://host/OWNER/NAME`. */
  readonly baseUrl: string;
  readonly credentials?: CredentialSource;
  /** Origins that links and redirections may lead to; by default any. */
  readonly origins?: readonly string[];
  /** The connection may be silent for this long, ms. */
  readonly stallMs?: number;
  /** A server may think about a whole upload for this long, ms: it may be storing it elsewhere. */
  readonly answerMs?: number;
}

export interface Purpose {
  readonly operation: Operation;
  readonly oid: string;
  readonly signal: AbortSignal | undefined;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** Below the repository's URL, with a slash first. */
  readonly path: string;
  readonly body?: unknown;
}

export interface LinkCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The link's own replace these. */
  readonly headers: RequestHeaders;
  readonly body?: () => string | Readable;
  /** Statuses that are an answer. */
  readonly accepted: readonly number[];
}

const maxRedirects = 5;
/** How a message is framed is our business, whatever a link says. Chunks are not: a store may insist on them. */
const framing = 'connection content-length expect host keep-alive te trailer upgrade'.split(' ');

/**
 * Speaks to one repository by the rules of the specification: who is followed where, and who gets to see credentials. Makes
 * each request once; trying again is up to the caller.
 */
export class Connection {
  readonly retries: Retries;
  readonly #territory: Territory;
  readonly #silenceMs: number;
  readonly #answerMs: number;
  readonly #credentials: CredentialSource | undefined;
  /** The server wants to know who we are. */
  #isAsked = false;

  /** @throws TypeError */
  constructor(options: ConnectionOptions) {
    this.#territory = { base: repositoryUrl(options.baseUrl), origins: options.origins };
    this.#credentials = options.credentials;
    this.#silenceMs = options.stallMs ?? 30_000;
    this.#answerMs = options.answerMs ?? 600_000;
    this.retries = new Retries(options);
  }

  /**
   * Calls the API and follows redirections as far as it may.
   * @returns an answer of status 200 to 299, and its final address.
   * @throws ObjectClientError
   */
  async call(purpose: Purpose, call: ApiCall) {
    const { signal } = purpose;
    const answer = await this.#knowing(purpose, (known) => this.#callAs(known, call, signal));
    const { status, url } = answer;
    if (status < 200 || status >= 300) throw await refused(answer, signal);
    refuseCoding(answer);
    return { status, body: await answer.text(textBytes), url };
  }

  /**
   * Follows a link; any status but the accepted ones is an error, redirections too.
   * @throws ObjectClientError
   */
  async follow(purpose: Purpose, link: Link, call: LinkCall): Promise<NodeAnswer> {
    const url = linkUrl(link, this.#territory);
    const own = lowerCased(link.header ?? {});
    const isOurs = url.origin === this.#territory.base.origin && own['authorization'] === undefined;
    const { signal } = purpose;
    const { method } = call;
    const follow = (credentials: RequestHeaders): Promise<NodeAnswer> => {
      const headers = linkHeaders(call, credentials, own);
      const body = call.body?.();
      const [silenceMs, answerMs] = [this.#silenceMs, this.#answerMs];
      return send({ method, url, headers, body, signal, silenceMs, answerMs });
    };
    const answer = await (isOurs ? this.#knowing(purpose, follow) : follow({}));
    if (call.accepted.includes(answer.status)) return answer;
    throw await refused(answer, signal);
  }

  /** Sends a request with credentials; where there are none, and the server wants some, a second time. */
  async #knowing(
    { operation, oid }: Purpose,
    request: (credentials: RequestHeaders) => Promise<NodeAnswer>,
  ): Promise<NodeAnswer> {
    const { base: url } = this.#territory;
    const find = async (): Promise<RequestHeaders | undefined> =>
      this.#credentials?.({ url, operation, oid, isAsked: this.#isAsked });
    const credentials = await find();
    const answer = await request(credentials ?? {});
    if (answer.status !== 401 || credentials !== undefined || this.#isAsked) return answer;
    this.#isAsked = true;
    const better = await find();
    if (better === undefined) return answer;
    answer.close();
    return request(better);
  }

  async #callAs(
    credentials: RequestHeaders,
    { method, path, body: content }: ApiCall,
    signal: AbortSignal | undefined,
  ): Promise<NodeAnswer> {
    const { base } = this.#territory;
    const body = content === undefined ? undefined : JSON.stringify(content);
    const plain = {
      accept: objectMediaType,
      'accept-encoding': 'identity',
      ...(body === undefined ? {} : jsonHeaders(body)),
    };
    let url = new URL(base.href.replace(/\/$/u, '') + path);
    let headers: RequestHeaders = { ...plain, ...credentials };
    for (let redirects = 0; ; redirects += 1) {
      const silenceMs = this.#silenceMs;
      const answer = await send({ method, url, headers, body, signal, silenceMs });
      const next = redirectionOf(answer, method, url, this.#territory);
      if (next === undefined) return answer;
      answer.close();
      if (redirects === maxRedirects) {
        throw new ObjectClientError('protocol', 'The server redirects without end.');
      }
      // All headers go along, but whatever says who we are is not told to another host.
      if (next.origin !== base.origin) headers = plain;
      url = next;
    }
  }
}

function linkHeaders(
  { headers }: LinkCall,
  credentials: RequestHeaders,
  own: RequestHeaders,
): RequestHeaders {
  const theirs = Object.entries(own).filter(([name]) => !framing.includes(name));
  const all = {
    'accept-encoding': 'identity',
    ...headers,
    ...credentials,
    ...Object.fromEntries(theirs),
  };
  if (own['transfer-encoding'] === undefined) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== 'content-length'));
}

/** The headers of a body of the API. */
export function jsonHeaders(body: string): RequestHeaders {
  return { 'content-type': objectMediaType, 'content-length': String(Buffer.byteLength(body)) };
}

async function refused(
  answer: NodeAnswer,
  signal: AbortSignal | undefined,
): Promise<ObjectClientError> {
  // Where what it says cannot be read, its status says enough.
  const body = await answer.text(textBytes).catch(() => '');
  signal?.throwIfAborted();
  const waitMs = retryAfterMs(answer);
  return refusal(answer.status, body, waitMs && Math.ceil(waitMs / 1_000));
}
