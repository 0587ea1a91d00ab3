import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { askDaemon, type DaemonRequest } from '../../client/waypoints/node/transport.ts';
import type { Access } from '../../client/waypoints/http.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import type { NodeAnswer } from '../../client/node-request.ts';
import { bodyPieces } from '../../http/body.ts';
import { announcedLength, hasBody, type Context } from '../../http/context.ts';
import type { Answer, RouteRequest } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';

/** Nothing else goes to the daemon: no Origin, no Sec-Fetch-*, no cookies, not the secret. */
const requestHeaders = ['accept', 'accept-encoding', 'content-type', 'if-none-match'];
/** Nothing else comes back. Nothing is kept in the browser's cache, which would tell where its user was. */
const answerHeaders = ['content-encoding', 'etag', 'retry-after', 'vary', 'x-change-id'];
/** What the daemon makes first: a page waits for it, for its browser would put each refusal into the console. */
const madePaths: ReadonlySet<string> = new Set(['/api/places', '/api/summary']);
const againMs = 200;
/** Pieces of a body, of 64 KiB at most, between the page and the daemon. */
const aheadPieces = 4;
/**
 * A daemon that says nothing for so long hangs. What changes something, such as an import in its turn, may take hours: that
 * often the daemon is asked whether it is still there.
 */
const silenceMs = { GET: 60_000, other: 600_000 } as const;

export type Silence = Readonly<Record<keyof typeof silenceMs, number>>;

/** Passes requests on to the daemon with its token, which no page sees, and finds it again after a restart. */
export class DaemonLink {
  readonly #find: () => Promise<Access | undefined>;
  readonly #silence: Silence;
  #access: Access | undefined;
  #finding: Promise<Access> | undefined;

  constructor(find: () => Promise<Access | undefined>, silence: Silence = silenceMs) {
    this.#find = find;
    this.#silence = silence;
  }

  /**
   * Sends a request on, body and answer as they come.
   * @throws WaypointError not_found for a path that would lead elsewhere, no_daemon when none answers in time
   */
  async answer({ ctx, signal }: RouteRequest): Promise<Answer> {
    requirePlainPath(ctx);
    let answer = await this.#ask(ctx, signal);
    while (answer.status === 429 && madePaths.has(ctx.path)) {
      answer.close();
      await delay(againMs, undefined, { signal });
      answer = await this.#ask(ctx, signal);
    }
    if (answer.status === 401) {
      answer.close();
      throw new WaypointError('no_daemon');
    }
    const head = { status: answer.status, headers: picked(answer.headers, answerHeaders) };
    if (answer.status === 204 || answer.status === 304) {
      answer.close();
      return head;
    }
    const contentType = answer.headers['content-type'] ?? 'application/octet-stream';
    answer.allowSilence();
    return { ...head, contentType, pieces: answer.pieces(), close: () => answer.close() };
  }

  async #ask(ctx: Context, signal: AbortSignal): Promise<NodeAnswer> {
    const { method, url: path, req } = ctx;
    const length = announcedLength(ctx);
    // Said, or Node sends the body of a GET or DELETE as if it were the next request.
    const framing: Record<string, string> =
      length === undefined
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': String(length) };
    const headers = {
      ...picked(req.headers, requestHeaders),
      // Addresses in answers are those that the page may ask.
      'x-forwarded-host': ctx.host,
      ...(hasBody(ctx) ? framing : {}),
    };
    const body = hasBody(ctx) ? bodyOf(ctx) : undefined;
    const request = { method, path, headers, body, signal };
    const used = this.#access ?? (await this.#findAgain());
    try {
      return await this.#send(used, request);
    } catch (error) {
      // It was started anew, as a rule; nothing of the request was sent.
      if (!(error instanceof RequestFailure && error.wasNotSent)) throw failureOf(error);
    }
    if (this.#access === used) this.#access = undefined;
    const access = this.#access ?? (await this.#findAgain());
    return this.#send(access, request).catch((error: unknown) => {
      throw failureOf(error);
    });
  }

  async #send(access: Access, request: Omit<DaemonRequest, 'silenceMs'>): Promise<NodeAnswer> {
    if (request.method === 'GET') {
      return askDaemon(access, { ...request, silenceMs: this.#silence.GET });
    }
    const [hung, answered] = [new AbortController(), new AbortController()];
    void this.#watch(access, answered.signal).catch((error: unknown) => {
      // Else it would end the rest of the answer.
      if (!answered.signal.aborted) hung.abort(error);
    });
    const signal = AbortSignal.any([hung.signal, ...(request.signal ? [request.signal] : [])]);
    try {
      return await askDaemon(access, { ...request, signal, silenceMs: 0 });
    } finally {
      answered.abort();
    }
  }

  /** @throws what ends it: the signal, or that the daemon does not even say that it is there */
  async #watch(access: Access, signal: AbortSignal): Promise<never> {
    const question = { method: 'GET', path: '/healthz', signal, silenceMs: this.#silence.GET };
    for (;;) {
      await delay(this.#silence.other, undefined, { signal, ref: false });
      (await askDaemon(access, question)).close();
    }
  }

  #findAgain(): Promise<Access> {
    this.#finding ??= this.#find()
      .then((access) => {
        if (access === undefined) throw new WaypointError('no_daemon');
        return (this.#access = access);
      })
      .finally(() => (this.#finding = undefined));
    return this.#finding;
  }
}

function failureOf(cause: unknown): unknown {
  return cause instanceof RequestFailure ? new WaypointError('no_daemon', { cause }) : cause;
}

/** The client reads `..`, `%2e` and `\` in a path as the URL standard has it: what was matched has to be what is asked. */
function requirePlainPath({ path }: Context): void {
  const { pathname } = new URL(path, 'http://127.0.0.1');
  if (pathname !== path) throw new WaypointError('not_found');
}

/** Copied: the memory of a piece is used again once the next one is asked for. */
function bodyOf(ctx: Context): Readable {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of bodyPieces(ctx)) yield Buffer.from(piece);
  }
  return Readable.from(pieces(), { highWaterMark: aheadPieces });
}

function picked(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
