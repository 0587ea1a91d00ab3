import { SharedCounters } from '../shared-counters.ts';

const names = [
  'filesTotal',
  'filesDone',
  'bytesTotal',
  'bytesDone',
  'waypoints',
  'observations',
] as const;
type Name = (typeof names)[number];

/** How far an import is, in bytes for `bytes…`; the worker looks at the flag at least once per 256 KB read. */
export class ImportProgress extends SharedCounters<Name> {
  constructor(shared?: SharedArrayBuffer) {
    super(names, shared);
  }

  read(): Readonly<Record<Name, number>> {
    const counters = names.map((name) => [name, this.get(name)] as const);
    // Sound: every name is there.
    return Object.fromEntries(counters) as Record<Name, number>;
  }
}
