import type { Buffer } from 'node:buffer';

/** CRC-16/ARC, which FIT ends with, of each byte. */
const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});

/** Carries a checksum on over bytes `from`…`to` (exclusive). */
export function checksum(crc: number, bytes: Buffer, from: number, to: number): number {
  let sum = crc;
  for (let at = from; at < to; at += 1) sum = (sum >>> 8) ^ table[(sum ^ bytes[at]!) & 0xff]!;
  return sum;
}
