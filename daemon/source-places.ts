import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Where code of the bundle stands in the sources, by the map beside it. Read when an error is described and not kept:
 * Node.js itself would read every map at the start, a tenth of its time.
 * @param line and `column` count from 1, as in a stack
 * @returns the URL of the source and its line, or undefined where there is no map
 */
export function sourcePlace(
  url: string,
  line: number,
  column: number,
): [string, number] | undefined {
  try {
    const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')));
    const origin = map.findOrigin(line, column);
    if (!('fileName' in origin)) return undefined;
    return [new URL(origin.fileName, url).href, origin.lineNumber];
  } catch {
    return undefined; // The sources themselves, or a file of somebody else.
  }
}
