import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Tells whether a candidate is the token. */
export type TokenCheck = (candidate: string) => boolean;

/** Makes a bearer token: 32 random bytes in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes the check against one token, in constant time for all candidates of its length, which is no secret. */
export function tokenCheck(token: string): TokenCheck {
  const expected = Buffer.from(token);
  return (candidate) => {
    const given = Buffer.from(candidate);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}
