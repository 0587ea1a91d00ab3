import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Operation } from '../model/objects.ts';

/** Rights of a token, and its user. It never allows more than its user may do when it is used. */
export interface Scope {
  /** 0 for an anonymous client. Not the name, which another user may have one day. */
  readonly userId: number;
  readonly repositoryId: number;
  readonly operation: Operation;
  /** undefined: every object. `upload` tokens without an object allow downloads, too, as ssh logins do. */
  readonly oid: string | undefined;
}

/** Separates our HMACs from any other use of the key. */
const purpose = 'waypointd object token 2\n';

/** Makes and reads tokens: what they allow and until when, with an HMAC-SHA-256 over it. */
export type Tokens = ReturnType<typeof createTokens>;

/** @param key of the store's secret file. @param now ms since 1970. */
export function createTokens(key: Uint8Array, now: () => number) {
  // Bytes would be made into a key again for every token, which costs eight times the signature.
  const secret = createSecretKey(key);
  const sign = (payload: string): Buffer =>
    createHmac('sha256', secret)
      .update(purpose + payload)
      .digest();
  return {
    make({ userId, repositoryId, operation, oid = '' }: Scope, lifeMs: number): string {
      const fields = [repositoryId, operation, oid, Math.floor(now() + lifeMs), userId];
      const payload = Buffer.from(fields.join(' ')).toString('base64url');
      return `${payload}.${sign(payload).toString('base64url')}`;
    },
    /** @returns undefined for a token that is not ours, or has expired. */
    read(token: string): Scope | undefined {
      const [payload = '', signature = '', ...rest] = token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const right = sign(payload);
      if (rest.length > 0 || given.length !== right.length) return undefined;
      if (!timingSafeEqual(given, right)) return undefined;
      const [id, operation, oid = '', until, userId] = Buffer.from(payload, 'base64url')
        .toString()
        .split(' ');
      if (!(Number(until) > now())) return undefined;
      return {
        userId: Number(userId),
        repositoryId: Number(id),
        operation: operation === 'upload' ? 'upload' : 'download',
        oid: oid === '' ? undefined : oid,
      };
    },
  };
}
