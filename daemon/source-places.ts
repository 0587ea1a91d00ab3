import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a source map (ECMA-426) says of a file: its sources, and its pieces in their order. */
interface SourceMap {
  readonly sources: readonly string[];
  /** Of each piece the line and column where it begins, its source and the line in that, all from 0. */
  readonly pieces: Int32Array;
}

/** The map that was read last: the places of an error are looked up in one turn, most of them in the same file. */
let last: { readonly url: string; readonly map: SourceMap } | undefined;

/**
 * Where code of the bundle stands in the sources, by the map beside it. Read when an error is described and not kept after
 * it: Node.js itself would read every map at the start, a tenth of its time, and takes 100 ms for one of 2 MB.
 * @param line and `column` count from 1, as in a stack
 * @returns the URL of the source and its line, or undefined where there is no map
 */
export function sourcePlace(
  url: string,
  line: number,
  column: number,
): [string, number] | undefined {
  try {
    const { sources, pieces } = mapOf(url);
    const end = endOfPieces(pieces, line - 1, column - 1);
    if (end === 0) return undefined;
    const [pieceLine = 0, , source = 0, sourceLine = 0] = pieces.subarray((end - 1) * fields);
    // A piece of several lines is a text of several lines in the source, too.
    return [new URL(sources[source] ?? '', url).href, sourceLine + line - pieceLine];
  } catch {
    return undefined; // The sources themselves, or a file of somebody else.
  }
}

function mapOf(url: string): SourceMap {
  if (last?.url === url) return last.map;
  // Sound: esbuild made it.
  const { sources, mappings } = JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')) as {
    readonly sources: readonly string[];
    readonly mappings: string;
  };
  const map = { sources, pieces: readPieces(mappings) };
  last = { url, map };
  setImmediate(() => {
    last = undefined;
  });
  return map;
}

/** The index behind the last piece that begins at a place, or before it. */
function endOfPieces(pieces: Int32Array, line: number, column: number): number {
  let [first, end] = [0, pieces.length / fields];
  while (first < end) {
    const middle = (first + end) >>> 1;
    const [pieceLine = 0, pieceColumn = 0] = pieces.subarray(middle * fields);
    const isBehind = pieceLine > line || (pieceLine === line && pieceColumn > column);
    if (isBehind) end = middle;
    else first = middle + 1;
  }
  return first;
}

const fields = 4;
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Pieces are divided by commas, lines by semicolons. */
const divider = digits.length;
const semicolon = 59;

/** Each number of a piece is the difference to that of the piece before. */
function readPieces(mappings: string): Int32Array {
  const digitOf = new Uint8Array(128).fill(divider);
  for (let digit = 0; digit < digits.length; digit += 1) digitOf[digits.charCodeAt(digit)] = digit;
  // Column, source, line and column there, and name.
  const sums = new Int32Array(5);
  // A piece of four numbers has that many characters at least.
  const pieces = new Int32Array(mappings.length + fields);
  let [line, field, value, shift, length] = [0, 0, 0, 0, 0];
  for (let at = 0; at <= mappings.length; at += 1) {
    const code = mappings.charCodeAt(at);
    // Five bits a character, the lowest first; the sixth says that more follow.
    const digit = digitOf[code] ?? divider;
    if (digit < divider) {
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit >= 32) continue;
      sums[field] = (sums[field] ?? 0) + signed(value);
      field += 1;
      value = 0;
      shift = 0;
      continue;
    }
    if (field >= fields) {
      pieces[length] = line;
      for (let of = 0; of < 3; of += 1) pieces[length + 1 + of] = sums[of] ?? 0;
      length += fields;
    }
    field = 0;
    if (code !== semicolon) continue;
    line += 1;
    sums[0] = 0;
  }
  return pieces.subarray(0, length);
}

/** The lowest bit is the sign. */
function signed(value: number): number {
  return value & 1 ? -(value >>> 1) : value >>> 1;
}
