/** Codes of characters. Without an import before them, the bundle has them as numbers where they are used. */
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const exclamation = 0x21;
export const doubleQuote = 0x22;
export const singleQuote = 0x27;
export const minus = 0x2d;
export const point = 0x2e;
export const slash = 0x2f;
export const zero = 0x30;
export const colon = 0x3a;
export const openAngle = 0x3c;
export const equals = 0x3d;
export const closeAngle = 0x3e;
export const letterT = 0x54;
export const letterZ = 0x5a;
export const closeBracket = 0x5d;
