/** `library.sqlite`: made ready at start-up, written file by file, each identity shown once. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { openJoinedReader, openReader, openWriter } from '../storage/database.ts';
import { DayReader } from '../storage/library/day-reader.ts';
import { markLibraryDamaged, prepareLibrary } from '../storage/library/prepare.ts';
import { LibraryWriter, type ImportedWaypoint } from '../storage/library/writer.ts';
import { rounds } from './helpers/effort.ts';
import { noCounts } from './helpers/no-counts.ts';
import { openFiles } from './helpers/open-files.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { onLinux } from './helpers/where.ts';

function libraryPath(t: ExecutionContext): string {
  return join(temporaryDirectory(t), 'library.sqlite');
}

const now = Date.parse('2026-03-01T10:20:30.400Z');
const setAside = 'library-set-aside-20260301T102030Z.sqlite';

function openLibrary(t: ExecutionContext, path = libraryPath(t)): LibraryWriter {
  prepareLibrary(path, now);
  const library = new LibraryWriter(path);
  t.teardown(() => library.close());
  return library;
}

interface Extra {
  /** Called after the rows are written, before the commit. */
  readonly place?: () => void;
}

function put(
  library: LibraryWriter,
  path: string,
  waypoints: readonly ImportedWaypoint[],
  extra: Extra = {},
): void {
  library.replaceFile(
    { path, pathKey: path, sha256: path },
    {
      load: (rows) => {
        for (const waypoint of waypoints) rows.waypoint(waypoint);
        rows.trackPoint(1, 2, 3, 4);
        return {
          ...noCounts,
          waypoints: waypoints.length,
          observations: 1,
          firstMs: 4,
          lastMs: 4,
        };
      },
      place: () => {
        extra.place?.();
        return { size: 1, mtimeNs: '123456789012345678901' };
      },
    },
  );
}

function shown(library: LibraryWriter): string[] {
  return Array.from(library.shownWaypoints(), ({ name, lat, lon }) => `${name} ${lat} ${lon}`);
}

const at = (name: string, lat = 1, lon = 2): ImportedWaypoint => ({ name, lat, lon });

test('prepareLibrary makes a private, empty library once', (t) => {
  const path = libraryPath(t);
  const first = prepareLibrary(path, now);
  t.like(first, { empty: true, setAside: false });
  t.regex(first.revision, /^[0-9a-f]{16}\.1$/);
  t.deepEqual(prepareLibrary(path, now), first);
  if (process.platform !== 'win32') t.is(statSync(path).mode & 0o777, 0o600);
});

test('prepareLibrary keeps a library with files', (t) => {
  const path = libraryPath(t);
  const library = openLibrary(t, path);
  put(library, 'a.gpx', [at('A')]);
  const revision = library.revision();
  const kept = { empty: false, revision, setAside: false };
  t.deepEqual(prepareLibrary(path, now), { ...kept, whole: false });
  library.markWhole();
  t.deepEqual(prepareLibrary(path, now), { ...kept, whole: true });
});

for (const [what, damage] of Object.entries({
  'is no database': (path: string) =>
    writeFileSync(path, 'not a database, but long enough '.repeat(64)),
  'has a page overwritten': (path: string) => {
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4_096 * 2, 4_096 * 4);
    writeFileSync(path, bytes);
  },
  'is too large to be checked whole and has pages overwritten': (path: string) => {
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4_096, 4_096 * 12);
    writeFileSync(path, bytes);
    truncateSync(path, 40_000_000);
  },
  'is cut off': (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 5_000)),
  'is of another schema': (path: string) => {
    const db = openWriter(path, 'normal');
    db.pragma('user_version = 77');
    db.close();
  },
  'is of another program': (path: string) => {
    const db = openWriter(path, 'normal');
    db.pragma('application_id = 1');
    db.close();
  },
  'showed its damage while it was in use': markLibraryDamaged,
})) {
  test(`prepareLibrary sets a library aside that ${what}`, (t) => {
    const path = libraryPath(t);
    const library = openLibrary(t, path);
    put(
      library,
      'a.gpx',
      Array.from({ length: 300 }, (_, i) => at(`Name ${i}`)),
    );
    const before = library.revision();
    library.checkpoint();
    library.close();
    damage(path);
    const prepared = prepareLibrary(path, now);
    t.like(prepared, { empty: true, setAside: true });
    t.not(prepared.revision.split('.')[0], before.split('.')[0], 'a new name for new content');
    t.true(existsSync(join(path, '..', setAside)));
    t.deepEqual(prepareLibrary(path, now), { ...prepared, setAside: false });
  });
}

test('a library whose paths were compared otherwise is set aside: the data has moved to another file system', (t) => {
  const path = libraryPath(t);
  t.false(prepareLibrary(path, now, 'case').setAside);
  t.false(prepareLibrary(path, now, 'case').setAside);
  for (const folding of ['none', 'composition', 'both'] as const) {
    t.true(prepareLibrary(path, now, folding).setAside, folding);
    const library = new LibraryWriter(path);
    const expected = { none: 'E\u0301', composition: '\u00c9', both: '\u00e9' }[folding];
    t.is(library.keyOf('E\u0301'), expected);
    library.close();
  }
});

onLinux(
  'a database that cannot be opened leaves no handle, which Windows would not let us rename',
  (t) => {
    const path = libraryPath(t);
    writeFileSync(path, 'broken '.repeat(100));
    const handles = (): number => openFiles(path);
    const openings = [
      () => openWriter(path, 'normal'),
      () => openWriter(path, 'full'),
      () => openJoinedReader(path, path),
      () => new LibraryWriter(path),
    ];
    for (const open of openings) {
      t.throws(open, { message: /not a database/u });
      t.is(handles(), 0);
    }
    prepareLibrary(path, now);
    new DayReader(path).close();
    t.is(handles(), 0);
  },
);

test('prepareLibrary keeps only the last library that it set aside', (t) => {
  const path = libraryPath(t);
  for (const day of [1, 2, 3]) {
    prepareLibrary(path, now);
    writeFileSync(path, 'broken '.repeat(100));
    writeFileSync(`${path}-wal`, 'broken');
    prepareLibrary(path, now + day * 86_400_000);
  }
  const names = readdirSync(join(path, '..')).filter((name) => name.includes('aside'));
  t.deepEqual(
    names.filter((name) => name.endsWith('.sqlite')),
    ['library-set-aside-20260304T102030Z.sqlite'],
  );
});

test('a file whose rows cannot be placed leaves nothing, and the one before stays', (t) => {
  const library = openLibrary(t);
  put(library, 'a.gpx', [at('Old')]);
  const revision = library.revision();
  const place = (): void => {
    throw new Error('no place');
  };
  t.throws(() => put(library, 'a.gpx', [at('New')], { place }), { message: 'no place' });
  t.throws(() => put(library, 'b.gpx', [at('New')], { place }), { message: 'no place' });
  t.deepEqual(shown(library), ['Old 1 2']);
  t.is(library.revision(), revision);
  t.is(library.files().length, 1);
});

const identity = fc.constantFrom('A', 'B', 'C', 'D');
const content = fc.array(identity, { maxLength: 6 });
const steps = fc.array(
  fc.record({
    path: fc.constantFrom('a', 'B', 'b/c', 'é', '\u{1f600}', '\uff21'),
    content: fc.option(content),
  }),
  { minLength: 1, maxLength: 12 },
);

test('whatever is added, replaced and removed, each identity is shown once, where it comes first', (t) => {
  const path = libraryPath(t);
  fc.assert(
    fc.property(steps, (sequence) => {
      rmSync(path, { force: true });
      prepareLibrary(path, now);
      const library = new LibraryWriter(path);
      const files = new Map<string, string[]>();
      for (const { path: file, content: names } of sequence) {
        const known = library.findByKey(file);
        if (names !== null) {
          put(
            library,
            file,
            names.map((name) => at(name)),
          );
          files.set(file, names);
        } else if (known !== undefined) {
          library.removeFile(known.id);
          files.delete(file);
        }
        t.deepEqual(shown(library), firstOfEach(files));
        t.is(library.shownCount(), new Set([...files.values()].flat()).size);
      }
      library.close();
    }),
    { numRuns: rounds(40) },
  );
});

function firstOfEach(files: ReadonlyMap<string, readonly string[]>): string[] {
  const order = [...files.keys()].toSorted((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  const names = new Set(order.flatMap((path) => files.get(path) ?? []));
  return Array.from(names, (name) => `${name} 1 2`);
}

test('the library is checkpointed although somebody reads an older state', (t) => {
  const path = libraryPath(t);
  const library = openLibrary(t, path);
  const reader = openReader(path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM files').get();
  put(library, 'a.gpx', [at('A')]);
  t.notThrows(() => library.checkpoint());
  reader.close();
  library.checkpoint();
  t.is(statSync(`${path}-wal`).size, 0);
});
