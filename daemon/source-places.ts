import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The map read last. Reading one takes 100 ms and 30 MB: kept only while memory is plenty. */
let last: { readonly url: string; readonly map: WeakRef<SourceMap> } | undefined;

/**
 * Finds the source of a place in the bundle, by the map beside it.
 * @param line and `column` count from 1, as in a stack
 * @returns the URL of the source and its line, or undefined where there is no map
 */
export function sourcePlace(
  url: string,
  line: number,
  column: number,
): [string, number] | undefined {
  try {
    const origin = mapOf(url).findOrigin(line, column);
    if (!('fileName' in origin)) return undefined;
    return [new URL(origin.fileName, url).href, origin.lineNumber];
  } catch {
    return undefined; // The sources themselves, or a file of another package.
  }
}

function mapOf(url: string): SourceMap {
  const known = last?.url === url ? last.map.deref() : undefined;
  if (known !== undefined) return known;
  const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')));
  last = { url, map: new WeakRef(map) };
  return map;
}
