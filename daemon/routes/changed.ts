import type { Answer } from '../../http/route.ts';
import type { Imported } from '../import/run.ts';

/** Answers what may have changed something; a header tells the number of the change, by which it can be taken back. */
export function changed(json: unknown, change: number | undefined, status = 200): Answer {
  return { status, json, headers: change === undefined ? {} : { 'X-Change-Id': String(change) } };
}

/** Answers an import with its result, whose lists may be long. */
export function importAnswer({ json, change }: Imported, status = 200): Answer {
  const bytes = json.reduce((sum, piece) => sum + piece.length, 0);
  const { headers } = changed(undefined, change);
  return { status, pieces: json, headers: { ...headers, 'Content-Length': String(bytes) } };
}
