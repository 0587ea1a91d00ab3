import type { Answer } from '../../http/route.ts';

/** Answers what may have changed something; a header tells the number of the change, by which it can be taken back. */
export function changed(json: unknown, change: number | undefined, status = 200): Answer {
  return { status, json, headers: change === undefined ? {} : { 'X-Change-Id': String(change) } };
}
