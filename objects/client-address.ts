import { isIP } from 'node:net';
import type { RequestHead } from '../http/exchange.ts';
import type { ObjectsConfig } from './config.ts';

/** Whom a request comes from: the peer, or the one that the trusted proxy names last. */
export function clientAddress(head: RequestHead, { trustedProxy }: ObjectsConfig): string {
  if (trustedProxy === undefined || head.peer !== trustedProxy) return head.peer;
  const last = head.header('x-forwarded-for').join(',').split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? head.peer : last;
}
