import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/** 16 MB and some 50 ms for each guess. */
const cost = { N: 16_384, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** Hashes a password for the database: `scrypt$N$r$p$salt$hash`, the last two in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, hashBytes, cost);
  const { N, r, p } = cost;
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** Tells whether a password is the one that was hashed; takes the same time either way. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = stored.split('$');
  if (kind !== 'scrypt') return false;
  const expected = Buffer.from(hash, 'base64');
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, options);
  return timingSafeEqual(actual, expected);
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFC, because keyboards differ in how they compose an accent.
    scrypt(password.normalize('NFC'), salt, length, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
