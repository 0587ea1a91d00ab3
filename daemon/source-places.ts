import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The map that was read last: the places of an error are looked up in one turn, most of them in the same file. */
let last: { readonly url: string; readonly map: SourceMap } | undefined;

/**
 * Where code of the bundle stands in the sources, by the map beside it. Read when an error is described and not kept after
 * it: Node.js itself would read every map at the start, a tenth of its time.
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
    return undefined; // The sources themselves, or a file of somebody else.
  }
}

function mapOf(url: string): SourceMap {
  if (last?.url === url) return last.map;
  const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')));
  last = { url, map };
  setImmediate(() => {
    last = undefined;
  });
  return map;
}
