/** Identities that share a hash, and twins within and between files: as if they were compared one by one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { identityOf } from '../model/identity.ts';
import { openReader, openWriter } from '../storage/database.ts';
import { identityHash } from '../storage/library/identity-hash.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { LibraryWriter } from '../storage/library/writer.ts';
import { WaypointStore } from '../storage/store.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { rounds } from './helpers/effort.ts';
import { noCounts } from './helpers/no-counts.ts';

const seed = 20_261_121;
const [lat, lon] = [1, 2];

const hashOf = (name: string): number => identityHash(identityOf(name, lat, lon), seed);

/** Names that share their hash with another one of them, side by side. */
const colliding: readonly string[] = collidingNames(4);

function collidingNames(pairs: number): string[] {
  const names = new Map<number, number>();
  const found: string[] = [];
  for (let i = 0; found.length < pairs * 2; i += 1) {
    const hash = hashOf(`N${i}`);
    const other = names.get(hash);
    if (other === undefined) names.set(hash, i);
    else found.push(`N${other}`, `N${i}`);
  }
  return found;
}

function directoryOf(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-twins-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A library whose hashes are the same in every run. */
function newLibrary(path: string): LibraryWriter {
  rmSync(path, { force: true });
  prepareLibrary(path, 0);
  const db = openWriter(path, 'normal');
  db.prepare("UPDATE meta SET value = ? WHERE key = 'seed'").run(String(seed));
  db.close();
  return new LibraryWriter(path);
}

function put(
  library: LibraryWriter,
  path: string,
  names: readonly string[],
  texts: readonly (string | null)[] = [],
  mtimeNs = 1,
  isKnown = false,
): void {
  library.replaceFile(
    { path, pathKey: path, sha256: path, ...(isKnown && { mtimeNs: `${mtimeNs}000` }) },
    {
      load: (rows) => {
        for (const [i, name] of names.entries()) {
          const desc = texts[i];
          rows.waypoint({ name, lat, lon, ...(typeof desc === 'string' && { desc }) });
        }
        return {
          ...noCounts,
          waypoints: names.length,
          missingTimes: names.length,
        };
      },
      place: () => ({ size: 1, mtimeNs: `${mtimeNs}000` }),
    },
  );
}

function shown(library: LibraryWriter): string[] {
  return Array.from(library.shownWaypoints(), ({ name }) => name);
}

/** The plain way: a set of names, filled in the order of files. */
function firstOfEach(files: ReadonlyMap<string, readonly string[]>): string[] {
  const order = [...files.keys()].toSorted((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return [...new Set(order.flatMap((path) => files.get(path) ?? []))];
}

test('the names of these tests share hashes', (t) => {
  for (let i = 0; i < colliding.length; i += 2) {
    t.not(colliding[i], colliding[i + 1]);
    t.is(hashOf(colliding[i]!), hashOf(colliding[i + 1]!));
  }
});

const names = fc.array(fc.constantFrom(...colliding.slice(0, 4), 'Other'), { maxLength: 6 });
const steps = fc.array(
  fc.record({ path: fc.constantFrom('a', 'B', 'b/c', 'é'), names: fc.option(names) }),
  { minLength: 2, maxLength: 12 },
);

test('identities of one hash are shown each once, where they come first, whatever is done', (t) => {
  const path = join(directoryOf(t), 'library.sqlite');
  fc.assert(
    fc.property(steps, (sequence) => {
      const library = newLibrary(path);
      const files = new Map<string, readonly string[]>();
      for (const { path: file, names: content } of sequence) {
        const known = library.findByKey(file);
        if (content !== null) {
          put(library, file, content);
          files.set(file, content);
        } else if (known !== undefined) {
          library.removeFile(known.id);
          files.delete(file);
        }
        t.deepEqual(shown(library), firstOfEach(files));
        t.is(library.shownCount(), firstOfEach(files).length);
        checkTables(t, path);
      }
      library.close();
    }),
    { seed: 5, numRuns: rounds(12) },
  );
});

/** What the schema says of the tables of hashes. */
function checkTables(t: ExecutionContext, path: string): void {
  const db = openReader(path);
  const entries = db
    .prepare<[], { hash: number; waypoint: number; shown: number }>(
      `SELECT hash, waypoint, 1 AS shown FROM identities
       UNION ALL SELECT hash, waypoint, shown FROM further_identities ORDER BY waypoint`,
    )
    .all();
  const expected = db
    .prepare<[], { id: number; name: string; shown: number }>(
      'SELECT id, name, shown FROM waypoints ORDER BY id',
    )
    .all()
    .map((row) => ({ hash: hashOf(row.name), waypoint: row.id, shown: row.shown }));
  t.deepEqual(entries, expected);
  const without = db.prepare(
    'SELECT 1 FROM further_identities WHERE hash NOT IN (SELECT hash FROM identities)',
  );
  t.is(without.get(), undefined);
  db.close();
}

test('a file of many rows, all of them twins of few identities, is read in one go', (t) => {
  const library = newLibrary(join(directoryOf(t), 'library.sqlite'));
  const many = Array.from({ length: 3_000 }, (_, i) => colliding[i % colliding.length]!);
  put(library, 'b', many);
  t.deepEqual(shown(library), colliding);
  put(library, 'a', many.toReversed());
  t.deepEqual(shown(library), colliding.toReversed());
  library.removeFile(library.findByKey('a')!.id);
  t.deepEqual(shown(library), colliding);
  library.close();
});

interface Told {
  readonly names: readonly string[];
  readonly texts: readonly (string | null)[];
  readonly mtimeNs: number;
}

/** The plain way: for each name the text that comes first in the newest file that has one; of the same time, in the last. */
function lastTexts(files: ReadonlyMap<string, Told>): Record<string, string> {
  const texts: Record<string, string> = {};
  const byPath = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [, file] of byPath.toSorted(([, a], [, b]) => a.mtimeNs - b.mtimeNs))
    for (const [i, name] of [...file.names.entries()].toReversed())
      texts[name] = file.texts[i] ?? texts[name] ?? '';
  return texts;
}

test('each waypoint says what the newest of its twins that says something does, whatever comes and goes', (t) => {
  const path = join(directoryOf(t), 'library.sqlite');
  const texts = fc.array(fc.option(fc.constantFrom('one', 'other')), { maxLength: 4 });
  const isOlder = fc.boolean();
  const told = fc.record({ names: names.map((all) => all.slice(0, 4)), texts, isOlder });
  const files = fc.constantFrom('a', 'b', 'c', 'd');
  const other = (text: string, isOlder = false) => ({ names: ['Other'], texts: [text], isOlder });
  type Step = [string, (Omit<Told, 'mtimeNs'> & { isOlder: boolean }) | null];
  const replacedByAnOlder: Step[] = [
    ['b', other('one')],
    ['c', other('other')],
    ['b', other('one')],
    ['b', other('one', true)],
  ];
  const replacedByTwins: Step[] = [
    ['b', other('one')],
    ['b', { names: ['Other', 'Other'], texts: [null, 'other'], isOlder: false }],
  ];
  const newestOfThreeLeaves: Step[] = [
    ['a', other('one')],
    ['b', other('other')],
    ['c', other('one')],
    ['c', null],
  ];
  const sequences = fc.array(fc.tuple(files, fc.option(told)), { maxLength: 14 });
  fc.assert(
    fc.property(sequences, fc.constantFrom(1, 3, 14), (sequence, together) => {
      const library = newLibrary(path);
      const db = openReader(path);
      const said = db.prepare<[], { name: string; text: string }>(
        `SELECT name, coalesce(f.desc, w.desc, '') AS text
         FROM waypoints w LEFT JOIN twin_fields f ON f.waypoint = w.id WHERE shown = 1`,
      );
      const present = new Map<string, Told>();
      const take = (step: number, [file, content]: Step): void => {
        const known = library.findByKey(file);
        if (content !== null) {
          const pair = step >> 1;
          const mtimeNs = content.isOlder ? 100 - pair : 100 + pair;
          put(library, file, content.names, content.texts, mtimeNs, content.isOlder);
          present.set(file, { ...content, mtimeNs });
        } else if (known !== undefined) {
          library.removeFile(known.id);
          present.delete(file);
        }
      };
      for (let from = 0; from < sequence.length; from += together) {
        const group = sequence.slice(from, from + together);
        library.transaction(() => {
          for (const [at, step] of group.entries()) take(from + at, step);
        });
        const all = Object.fromEntries(said.all().map(({ name, text }) => [name, text]));
        t.deepEqual(all, lastTexts(present));
      }
      db.close();
      library.close();
    }),
    {
      seed: 7,
      numRuns: rounds(20),
      examples: [1, 14].flatMap((together) =>
        [newestOfThreeLeaves, replacedByAnOlder, replacedByTwins].map(
          (sequence): [Step[], number] => [sequence, together],
        ),
      ),
    },
  );
});

test('many twins in a file that all say other things are merged in one go', (t) => {
  const path = join(directoryOf(t), 'library.sqlite');
  const library = newLibrary(path);
  const db = openReader(path);
  const said = (): unknown =>
    db
      .prepare(
        `SELECT coalesce(f.desc, w.desc) FROM waypoints w LEFT JOIN twin_fields f ON f.waypoint = w.id
         WHERE w.shown = 1 ORDER BY name`,
      )
      .pluck()
      .all();
  const [one, other] = [colliding[0]!, colliding[1]!].toSorted() as [string, string];
  // Reading all twins for each of them would read 2 million.
  const names = Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? one : other));
  const texts = (of: string): string[] => names.map((_, i) => `${of} ${i}`);
  put(library, 'a', names, texts('a'));
  t.deepEqual(said(), ['a 0', 'a 1']);
  put(library, 'b', names, texts('b'));
  t.deepEqual(said(), ['b 0', 'b 1']);
  put(library, 'b', [one, one], ['again'], 2);
  t.deepEqual(said(), ['again', 'a 1']);
  put(library, 'a', names, texts('c'), 3);
  t.deepEqual(said(), ['c 0', 'c 1']);
  library.removeFile(library.findByKey('a')!.id);
  t.deepEqual(said(), ['again']);
  db.close();
  library.close();
});

test('a file of many rows that share no hash, and some that do, leaves nothing behind', (t) => {
  const path = join(directoryOf(t), 'library.sqlite');
  const library = newLibrary(path);
  const own = Array.from({ length: 200 }, (_, i) => `own ${i}`);
  const shared = Array.from({ length: 200 }, (_, i) => `shared ${i}`);
  put(library, 'a', [...own.slice(0, 150), colliding[0]!, ...shared, colliding[3]!]);
  put(library, 'b', [colliding[1]!, ...shared, ...own.slice(150), colliding[2]!, 'own 0', 'own 0']);
  put(library, 'a', own.slice(100, 150));
  t.deepEqual(
    shown(library),
    firstOfEach(
      new Map([
        ['a', own.slice(100, 150)],
        ['b', [colliding[1]!, ...shared, ...own.slice(150), colliding[2]!, 'own 0']],
      ]),
    ),
  );
  checkTables(t, path);
  library.removeFile(library.findByKey('b')!.id);
  t.deepEqual(shown(library), own.slice(100, 150));
  checkTables(t, path);
  library.removeFile(library.findByKey('a')!.id);
  t.is(library.shownCount(), 0);
  checkTables(t, path);
  library.close();
});

test('imported waypoints are found by identity and by tag although they share a hash', (t) => {
  const root = directoryOf(t);
  const libraryPath = join(root, 'library.sqlite');
  const library = newLibrary(libraryPath);
  const [one, same, two] = colliding as [string, string, string];
  put(library, 'a', [one, same, one]);
  library.close();
  const db = openWaypointStore({
    path: join(root, 'waypoints.sqlite'),
    backupsDirectory: join(root, 'backups'),
    companions: [],
    now: 0,
  });
  const store = new WaypointStore(db, libraryPath);
  t.teardown(() => store.close());
  for (const name of [one, same]) {
    t.true(store.twins.exists(identityOf(name, lat, lon)));
    t.deepEqual(store.twins.find({ name, lat, lon }), { name, lat, lon });
    t.deepEqual(store.twins.find({ name, lat: 1.000_001, lon: 1.999_999 }), { name, lat, lon });
    t.false(store.twins.exists(identityOf(name, 1.000_001, lon)));
    store.addTags({ name, lat, lon }, ['seen']);
  }
  t.false(store.twins.exists(identityOf(two, lat, lon)));
  t.is(store.twins.find({ name: two, lat, lon }), undefined);
  const found = [one, same].toSorted().map((name) => ({ name, lat, lon, source: 'waypoint' }));
  t.deepEqual(store.findTagged('single', ['seen'], 8).next().value, found);
});

type Run = (this: { readonly source: string }, ...parameters: unknown[]) => unknown;

/** The texts of the statements that are run meanwhile on any connection. */
function statementsOf(t: ExecutionContext, path: string, work: () => void): string[] {
  const db = openReader(path);
  const methods = Object.getPrototypeOf(db.prepare('SELECT 1')) as Record<string, Run>;
  const texts: string[] = [];
  const originals = ['run', 'get', 'all', 'iterate'].map((name) => [name, methods[name]!] as const);
  for (const [name, original] of originals)
    methods[name] = function counted(...parameters) {
      texts.push(this.source);
      return original.apply(this, parameters);
    };
  try {
    work();
  } finally {
    for (const [name, original] of originals) methods[name] = original;
  }
  for (const text of new Set(texts)) {
    if (!text.includes('json_each')) continue;
    const values = Array.from(text.matchAll(/\?/g), () => null);
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    for (const { detail } of plan.all(values)) t.notRegex(detail, /^SCAN (?!json_each)/, text);
  }
  db.close();
  return texts;
}

for (const [title, first, second] of [
  ['after', 'a', 'b'],
  ['before', 'b', 'a'],
] as const)
  test(`a file that is added, replaced and removed ${title} one of half its waypoints takes few statements, and no scan`, (t) => {
    const path = join(directoryOf(t), 'library.sqlite');
    const library = newLibrary(path);
    const count = 8_192;
    const many = (from: number) => Array.from({ length: count }, (_, i) => `N${from + i}`);
    put(library, first, many(0));
    const statements = statementsOf(t, path, () => {
      put(library, second, many(count / 2));
      put(library, second, many(count / 4));
      library.removeFile(library.findByKey(second)!.id);
    });
    // Three times the rows, 32 of which are inserted at once, and some ten statements for each 1,024.
    t.true(statements.length < count / 8, `${statements.length}`);
    t.deepEqual(shown(library), many(0));
    checkTables(t, path);
    library.close();
  });
