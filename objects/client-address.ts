import { isIP } from 'node:net';
import { headerValues, type Context } from '../http/context.ts';
import type { ObjectsConfig } from './config.ts';

/** Whom a request comes from: the peer, or the one that the trusted proxy names last. */
export function clientAddress(ctx: Context, { trustedProxy }: ObjectsConfig): string {
  const peer = plainAddress(ctx.ip);
  if (trustedProxy === undefined || peer !== trustedProxy) return peer;
  const last = headerValues(ctx, 'x-forwarded-for').join(',').split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? peer : last;
}

/** IPv4 on a socket for both comes with a prefix. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/u, '');
}

/** Addresses of one client: one of IPv4, or the 2⁶⁴ of IPv6 that share their first half. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':');
  const isShort = address.includes('::');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: isShort ? 8 - groups.length - last.length : 0 }, () => '0');
  const half = [...groups, ...zeros, ...last].slice(0, 4);
  return half.map((group) => Number.parseInt(group || '0', 16).toString(16)).join(':');
}
