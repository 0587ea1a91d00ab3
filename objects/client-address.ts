import { isIP } from 'node:net';
import { headerValues, type Context } from '../http/context.ts';
import type { ObjectsConfig } from './config.ts';

/** Whom a request comes from: the peer, or the one that the trusted proxy names last. */
export function clientAddress(ctx: Context, { trustedProxy }: ObjectsConfig): string {
  // IPv4 on a socket for both comes with a prefix.
  const peer = ctx.ip.replace(/^::ffff:/u, '');
  if (trustedProxy === undefined || peer !== trustedProxy) return peer;
  const last = headerValues(ctx, 'x-forwarded-for').join(',').split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? peer : last;
}
