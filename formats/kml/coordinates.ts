import { parseDegrees, parseNumber } from '../points/point-values.ts';
import { FileRefused } from '../refused.ts';

const otherSpace = /[^\S ]| {2}/;
/** Characters of one position; real ones have up to 60. */
const maxLength = 1_024;

/** Degrees and metres; NaN for missing or invalid values. */
export interface Coordinates {
  readonly lat: number;
  readonly lon: number;
  readonly ele: number;
}

/** Reads `lon,lat[,ele]` or, in a track, `lon lat [ele]`. */
export function parseCoordinates(text: string, separator: ',' | ' '): Coordinates {
  const trimmed = text.trim();
  // A pattern is only needed for what programs hardly ever write.
  const isPlain = separator === ',' || !otherSpace.test(trimmed);
  const [lon, lat, ele] = trimmed.split(isPlain ? separator : /\s+/);
  return {
    lat: parseDegrees(lat, 90),
    lon: parseDegrees(lon, 180),
    ele: parseNumber(ele),
  };
}

/** A list of positions that comes in parts, so that it may have any length. */
export class CoordinateList {
  readonly #hear: (coordinates: Coordinates) => void;
  #rest = '';

  constructor(hear: (coordinates: Coordinates) => void) {
    this.#hear = hear;
  }

  push(text: string): void {
    const words = (this.#rest + text).split(/\s+/);
    this.#rest = words.pop() ?? '';
    for (const word of words) this.#addWord(word);
    if (this.#rest.length > maxLength) throw new FileRefused('too_large');
  }

  end(): void {
    this.#addWord(this.#rest);
    this.#rest = '';
  }

  #addWord(word: string): void {
    if (word !== '') this.#hear(parseCoordinates(word, ','));
  }
}
