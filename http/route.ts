import type { Schema } from '../model/schema.ts';
import type { Context } from './context.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Checked input of a route's handler. A literal with a getter would cost more than the rest of a small request. */
export class RouteRequest<Query = unknown, Body = unknown, Params = unknown> {
  /** For what has no schema. */
  readonly ctx: Context;
  readonly query: Query;
  readonly body: Body;
  readonly params: Params;

  constructor(ctx: Context, query: Query, body: Body, params: Params) {
    this.ctx = ctx;
    this.query = query;
    this.body = body;
    this.params = params;
  }

  /** The `If-None-Match` header, for routes that answer with an ETag. */
  get ifNoneMatch(): string | undefined {
    return this.ctx.req.headers['if-none-match'];
  }

  /** Aborted when the client hangs up before its answer is complete. Made on demand: few handlers look at it. */
  get signal(): AbortSignal {
    const { res } = this.ctx;
    const controller = new AbortController();
    const onClose = (): void => {
      if (!res.writableFinished) controller.abort();
    };
    if (res.destroyed) onClose();
    else res.once('close', onClose);
    return controller.signal;
  }
}

interface AnswerHead {
  readonly status: number;
  readonly etag?: string;
  /** `application/json` unless it says otherwise. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An answer that is sent piece by piece with back-pressure. Making one piece takes at most limits.sliceMs; `close` is
 * called exactly once, also when the client hangs up or does not read for limits.drainTimeoutMs.
 */
export interface StreamAnswer extends AnswerHead {
  readonly pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  readonly close?: () => void;
}

/** An answer whose content the route writes itself, and whose response it ends. */
interface WrittenAnswer extends AnswerHead {
  /** @param begin writes the head, which goes out with the first piece; to be called before it. */
  readonly write: (begin: () => unknown) => Promise<void>;
}

type JsonAnswer = AnswerHead & { readonly json: unknown };
export type Answer = AnswerHead | JsonAnswer | StreamAnswer | WrittenAnswer;

/** One route of an API: all that validates it, describes it (OpenAPI) and answers it. */
export interface Route<Query = unknown, Body = unknown, Params = unknown> {
  readonly method: Method;
  /** `/api/timelines/{id}` style. */
  readonly path: string;
  /** One sentence for the API description. */
  readonly summary: string;
  readonly query?: Schema<Query> | undefined;
  readonly body?: Schema<Body> | undefined;
  readonly params?: Schema<Params> | undefined;
  /** The handler reads the body itself, of any type and length. */
  readonly readsContent?: true;
  /** Schema of each answer's body by status; null for an empty body. Failures are implied. */
  readonly answers: Readonly<Record<number, Schema | null>>;
  // A method, so that a route of its own types is a route: it is called only with what these very schemas yielded.
  handle(request: RouteRequest<Query, Body, Params>): Answer | Promise<Answer>;
}

/** Declares a route so that its handler sees the types its schemas yield. */
export function route<Query = undefined, Body = undefined, Params = undefined>(
  spec: Route<Query, Body, Params>,
): Route {
  return spec;
}
