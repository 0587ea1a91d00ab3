// As in ascii.ts, no import stands before these: the bundle has them as numbers where they are used.

/** Kinds of bytes in character data, as bits. */
export const plain = 0;
export const lineEnd = 1;
export const ampersand = 2;
export const foreign = 4;
/** Begins U+F000 to U+FFFF, two of which are illegal. */
export const last = 8;
/** `>`, which is mostly legal. */
export const angle = 16;
export const stop = 32;
/** Bits of a byte that may begin a name, or go on in one: digits, points and signs do only that. */
export const nameStart = 1;
export const nameRest = 2;

export const textKinds = new Uint8Array(256);
export const nameKinds = new Uint8Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  const char = String.fromCharCode(byte);
  textKinds[byte] = textKind(byte, char);
  if (/[A-Za-z_:]/.test(char)) nameKinds[byte] = nameStart | nameRest;
  else if (/[-.0-9]/.test(char)) nameKinds[byte] = nameRest;
}

/** A `>` is no plain character: so loops need to look for the end of the bytes, and for `]]>`, only there. */
function textKind(byte: number, char: string): number {
  if (char === '\n') return lineEnd;
  if (char === '&') return ampersand;
  if (byte >= 0x80) return byte === 0xef ? foreign | last : foreign;
  if (char === '>') return angle;
  return char === '<' || (byte < 0x20 && char !== '\t' && char !== '\r') ? stop : plain;
}
