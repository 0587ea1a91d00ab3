import { attempt } from './attempt.ts';

/** Reads what another program has written; undefined, which every schema of ours refuses, when it is no JSON. */
export function parseJson(text: string): unknown {
  return attempt(() => JSON.parse(text));
}
