import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key and its certificate as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const year = 365 * 24 * 3_600_000;
const [integerTag, bitStringTag, oidTag, utf8Tag, timeTag, sequenceTag, setTag] = [
  0x02, 0x03, 0x06, 0x0c, 0x17, 0x30, 0x31,
];
const ed25519 = der(sequenceTag, der(oidTag, Buffer.from([0x2b, 0x65, 0x70])));
const commonName = der(oidTag, Buffer.from([0x55, 0x04, 0x03]));

/** Makes a self-signed certificate for `localhost`, valid from yesterday for a year. */
export function makeCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const name = der(
    sequenceTag,
    der(setTag, der(sequenceTag, commonName, der(utf8Tag, Buffer.from('localhost')))),
  );
  const yesterday = Date.now() - year / 365;
  const body = der(
    sequenceTag,
    // Positive: the first bit is not set.
    der(integerTag, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ed25519,
    name,
    der(sequenceTag, time(yesterday), time(yesterday + year)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = der(bitStringTag, Buffer.from([0]), sign(null, body, privateKey));
  const whole = der(sequenceTag, body, ed25519, signature).toString('base64');
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${whole}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/gu, '').slice(2, 14);
  return der(timeTag, Buffer.from(`${digits}Z`));
}
