import type { Context } from './context.ts';

/** The headers of every answer (contract B.5), but for the request's id. */
const standardHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
];

/** Sets the headers of every answer, on Node's response: Koa's `set` takes twice as long for these six. */
export function setStandardHeaders({ res, state }: Context): void {
  for (const [name, value] of standardHeaders) res.setHeader(name, value);
  res.setHeader('X-Request-Id', state.requestId);
}
