import type Koa from 'koa';
import type { HttpLimits } from './http-limits.ts';

/** State of a request that our middleware keeps beside Koa's. */
export interface RequestState {
  /** 16 hexadecimal digits, in the answer and in the log. */
  requestId: string;
  /** The matched route's path template, for the log: the path itself may hold an id. */
  route: string;
}

/** Our additions to Koa's context. */
export interface ContextFields {
  limits: HttpLimits;
  /** Parameters of the path, left here by the router. */
  params?: Record<string, string>;
  /** Routes of this path, with any method. */
  matched?: readonly { readonly methods: readonly string[] }[];
}

/** Koa's context of one request. Its `path` is what was sent up to the first `?`, without a scheme and authority: nothing is decoded or normalised. */
export type Context = Koa.ParameterizedContext<RequestState, ContextFields>;
export type Middleware = Koa.Middleware<RequestState, ContextFields>;

/** Lets a request pass or refuses it by its head, before anything of its body is read. @throws WaypointError */
export type Guard = (ctx: Context) => void;

/**
 * Every value of a request header in order of arrival, from the raw headers: Node's parsed ones drop a second Host,
 * Authorization or Content-Type.
 * @param name in lower case.
 */
export function headerValues({ req: { headers, rawHeaders } }: Context, name: string): string[] {
  const values: string[] = [];
  // The usual case; spares lower-casing every raw header.
  if (headers[name] === undefined) return values;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

const absoluteTarget = /^(https?):\/\/([^/?]*)(.*)$/i;

/** Rewrites a target in absolute form (RFC 9112, 3.2.2) to origin form; its authority replaces the value of Host. */
export function useOriginForm(ctx: Context): void {
  if (ctx.url.startsWith('/')) return;
  const [, scheme = '', authority = '', rest = ''] = absoluteTarget.exec(ctx.url) ?? [];
  if (scheme.toLowerCase() !== ctx.protocol) return;
  ctx.url = rest.startsWith('/') ? rest : `/${rest}`;
  const { headers, rawHeaders } = ctx.req;
  if (headers.host !== undefined) headers.host = authority;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = authority;
}

/** How long the body of a request is, as announced, in bytes; undefined for one that is sent in chunks. */
export function announcedLength({ req: { headers } }: Context): number | undefined {
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] !== undefined) return undefined;
  return Number(length ?? 0);
}

/** Whether the request announces a body, be it read or not. */
export function hasBody(ctx: Context): boolean {
  return announcedLength(ctx) !== 0;
}

/** Whether the client waits for our permission to send its body. */
export function expectsContinue({ req: { headers, httpVersionMinor } }: Context): boolean {
  return httpVersionMinor === 1 && /\b100-continue\b/i.test(headers.expect ?? '');
}

/** Whether nothing can be answered any more: an answer has begun, or the client is gone. */
export function isOver({ res }: Context): boolean {
  return res.headersSent || res.destroyed;
}

/** The headers of every answer (contract B.5). */
export function standardHeaders({ state }: Context): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Request-Id': state.requestId,
  };
}
