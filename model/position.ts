/** A position in degrees WGS84. */
export interface Position {
  readonly lat: number;
  readonly lon: number;
}

/**
 * A number in the syntax of contract B.7 (so `1e-7` is one; blank and `0x10` are not). The optional point with its digits is one
 * group: `\d+\.?\d*` would take quadratic time on long digits that fail.
 */
export const numberText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/u;

/** Reads `42.1, -8.3`, `42.1 -8.3`, `42.1N 8.3W` or `geo:42.1,-8.3`; undefined for another text, or where there is no such place. */
export function readPosition(text: string): Position | undefined {
  const position = readDegrees(text) ?? readDegrees(text.trim().replace(/\s+/u, ','));
  if (position === undefined) return undefined;
  return Math.abs(position.lat) <= 90 && Math.abs(position.lon) <= 180 ? position : undefined;
}

/** Reads latitude and longitude with a comma between, whatever their size; undefined for another text. */
export function readDegrees(text: string): Position | undefined {
  const [latText, lonText, ...others] = text
    .trim()
    .replace(/^geo:/iu, '')
    .split(',')
    .map((word) => word.trim());
  if (latText === undefined || lonText === undefined || others.length > 0) return undefined;
  const lat = parseDegrees(latText, 'N', 'S');
  const lon = parseDegrees(lonText, 'E', 'W');
  return lat === undefined || lon === undefined ? undefined : { lat, lon };
}

/** Degrees as `-8.3`, `8.3W`, `W8.3` or `8.3°W`. */
function parseDegrees(text: string, positive: string, negative: string): number | undefined {
  const letters = text.replace(/[^a-z]/giu, '').toUpperCase();
  const hasSide = letters === positive || letters === negative;
  const digits = hasSide ? text.replace(/[a-z]/giu, '').replace(/[\xb0\s]/gu, '') : text;
  if (!numberText.test(digits)) return undefined;
  // "-8.3W" could mean either side.
  if (hasSide && /^[+-]/u.test(digits)) return undefined;
  return letters === negative ? -Number(digits) : Number(digits);
}
