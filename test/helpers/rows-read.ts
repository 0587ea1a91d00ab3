import { openReader } from '../../storage/database.ts';

type Iterate = (...parameters: unknown[]) => Iterable<unknown>;

/** How many rows are gone through one by one meanwhile, on any connection: what twins say, and which is the first. */
export function rowsReadIn(libraryPath: string, work: () => void): number {
  const db = openReader(libraryPath);
  const methods = Object.getPrototypeOf(db.prepare('SELECT 1')) as { iterate: Iterate };
  const { iterate } = methods;
  let count = 0;
  methods.iterate = function* counted(...parameters) {
    for (const row of iterate.apply(this, parameters)) {
      count += 1;
      yield row;
    }
  };
  try {
    work();
  } finally {
    methods.iterate = iterate;
    db.close();
  }
  return count;
}
