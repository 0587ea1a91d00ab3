// As in ascii.ts, no import stands before these: the bundle has them as numbers where they are used.

/** Kinds of bytes in values, as bits. Values that hold others are the parser's. */
export const plain = 0;
const inTextsOnly = 1;
export const lineEnd = 2;
export const ampersand = 4;
export const angle = 8;
export const foreign = 16;
export const stop = 32;
export const kinds = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));

function kindOf(byte: number): number {
  if (byte >= 0x80) return foreign;
  const kind = { '\n': lineEnd, '&': ampersand, '>': angle, '<': stop }[String.fromCharCode(byte)];
  if (kind !== undefined) return kind;
  if (byte === 0x09 || byte === 0x22 || byte === 0x27) return inTextsOnly;
  return byte < 0x20 ? stop : plain;
}
