import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Tells whether a candidate is the token. */
export type TokenCheck = (candidate: string) => boolean;

/** Makes a bearer token: 32 random bytes in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Makes the check against one token. It keeps only the token's digest and compares digests in constant time, so that
 * neither the time taken nor what is kept helps to guess.
 */
export function tokenCheck(token: string): TokenCheck {
  const expected = Buffer.alloc(digestLength);
  writeDigest(expected, token);
  // One buffer for all: Node's own digest buffers are slow to allocate and to collect.
  const actual = Buffer.alloc(digestLength);
  return (candidate) => {
    writeDigest(actual, candidate);
    return timingSafeEqual(actual, expected);
  };
}

/** Hexadecimal digits of a SHA-256. */
const digestLength = 64;

function writeDigest(target: Buffer, text: string): void {
  target.write(hash('sha256', text, 'hex'), 'latin1');
}
