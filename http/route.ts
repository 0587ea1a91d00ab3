import type { Schema } from '../model/schema.ts';
import type { RequestHead } from './exchange.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** The body of a request to a route that reads it as it comes. */
export interface RequestContent {
  /** As announced, bytes; undefined for a body sent in chunks. */
  readonly length: number | undefined;
  /**
   * The bytes as they arrive, to be read once; each piece is good until the next one is asked for. Ends with an error when the client hangs up, or sends nothing for
   * HttpLimits.idleBodyMs.
   */
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/** What a route's handler gets: checked input only. */
export interface RouteRequest<Query, Body, Params> {
  readonly query: Query;
  readonly body: Body;
  readonly params: Params;
  readonly head: RequestHead;
  /** Nothing is left of it where the route has a schema for its body. */
  readonly content: RequestContent;
  /** The `If-None-Match` header, for routes that answer with an ETag. */
  readonly ifNoneMatch: string | undefined;
  /** Aborted when the client hangs up or the server is closing. */
  readonly signal: AbortSignal;
}

export interface JsonAnswer {
  readonly status: 200 | 201 | 202;
  readonly json: unknown;
  readonly etag?: string;
  /** `application/json` unless it says otherwise. */
  readonly contentType?: string;
}

export interface EmptyAnswer {
  readonly status: 200 | 204 | 206 | 304;
  readonly etag?: string;
  /** Further headers, name after value. */
  readonly headers?: readonly string[];
}

/**
 * An answer that is sent piece by piece with back-pressure. Making one piece takes at most limits.sliceMs; `close` is
 * called exactly once, also when the client hangs up or does not read for limits.drainTimeoutMs.
 */
export interface StreamAnswer {
  readonly status: 200 | 206;
  readonly pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  readonly contentType?: string;
  readonly etag?: string;
  /** Further headers, name after value. */
  readonly headers?: readonly string[];
  readonly close?: () => void;
}

/** Many bytes as they are, sent with back-pressure from few buffers. `close` is called exactly once. */
export interface BytesAnswer {
  readonly status: 200 | 206;
  /** How many; sent as `Content-Length`. */
  readonly length: number;
  /** Fills a buffer with the bytes from `at` on. @returns how many were read: all that fit, or what is left. */
  readonly read: (buffer: Uint8Array, at: number) => Promise<number>;
  readonly contentType: string;
  readonly etag?: string;
  /** Further headers, name after value. */
  readonly headers?: readonly string[];
  /** @param sent how many bytes were handed to the connection. */
  readonly close: (sent: number) => void;
}

export type Answer = JsonAnswer | EmptyAnswer | StreamAnswer | BytesAnswer;

/** One route of an API: all that validates it, describes it (OpenAPI) and answers it. */
export interface Route {
  readonly method: Method;
  /** `/api/timelines/{id}` style. */
  readonly path: string;
  /** One sentence for the API description. */
  readonly summary: string;
  readonly query?: Schema | undefined;
  readonly body?: Schema | undefined;
  readonly params?: Schema | undefined;
  /** The handler reads the body itself, of whatever type and length. */
  readonly readsContent?: true;
  /** Schema of each answer's body by status; null for an empty body. Failures are implied. */
  readonly answers: Readonly<Record<number, Schema | null>>;
  readonly handle: (request: RouteRequest<unknown, unknown, unknown>) => Answer | Promise<Answer>;
}

interface TypedRoute<Query, Body, Params> extends Omit<
  Route,
  'query' | 'body' | 'params' | 'handle'
> {
  readonly query?: Schema<Query>;
  readonly body?: Schema<Body>;
  readonly params?: Schema<Params>;
  readonly handle: (request: RouteRequest<Query, Body, Params>) => Answer | Promise<Answer>;
}

/** Declares a route so that its handler sees the types its schemas yield. */
export function route<Query = undefined, Body = undefined, Params = undefined>(
  spec: TypedRoute<Query, Body, Params>,
): Route {
  const { handle, ...rest } = spec;
  return {
    ...rest,
    // Sound: the server calls handle only with what these very schemas yielded.
    handle: (request) => handle(request as RouteRequest<Query, Body, Params>),
  };
}
