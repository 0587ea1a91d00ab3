/** Codes of characters. Without an import before them, the bundle has them as numbers where they are used. */
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const minus = 0x2d;
export const point = 0x2e;
export const zero = 0x30;
export const colon = 0x3a;
export const letterT = 0x54;
export const letterZ = 0x5a;
