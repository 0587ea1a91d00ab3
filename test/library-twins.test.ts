/** Twins within and between files: as if they were compared one by one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { identityOf } from '../model/identity.ts';
import { openReader } from '../storage/database.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { LibraryWriter } from '../storage/library/writer.ts';
import { WaypointStore } from '../storage/store.ts';
import { openWaypointStore } from '../storage/waypoints/open.ts';
import { rounds } from './helpers/effort.ts';
import { noCounts } from './helpers/no-counts.ts';

const [lat, lon] = [1, 2];

const eightNames: readonly string[] = Array.from({ length: 8 }, (_, i) => `N${i}`);

function directoryOf(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-twins-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function newLibrary(path: string): LibraryWriter {
  rmSync(path, { force: true });
  prepareLibrary(path, 0);
  return new LibraryWriter(path);
}

function put(
  library: LibraryWriter,
  path: string,
  names: readonly string[],
  texts: readonly (string | null)[] = [],
  id?: number,
): void {
  library.replaceFile(
    { path, pathKey: path, sha256: path, ...(id !== undefined && { id }) },
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
      place: () => ({ size: 1, mtimeNs: '1' }),
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

const names = fc.array(fc.constantFrom(...eightNames.slice(0, 4), 'Other'), { maxLength: 6 });
const steps = fc.array(
  fc.record({ path: fc.constantFrom('a', 'B', 'b/c', 'é'), names: fc.option(names) }),
  { minLength: 2, maxLength: 12 },
);

test('identities are shown each once, where they come first, whatever is done', (t) => {
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
      }
      library.close();
    }),
    { seed: 5, numRuns: rounds(12) },
  );
});

test('a file of many rows, all of them twins of few identities, is read in one go', (t) => {
  const library = newLibrary(join(directoryOf(t), 'library.sqlite'));
  const many = Array.from({ length: 3_000 }, (_, i) => eightNames[i % eightNames.length]!);
  put(library, 'b', many);
  t.deepEqual(shown(library), eightNames);
  put(library, 'a', many.toReversed());
  t.deepEqual(shown(library), eightNames.toReversed());
  library.removeFile(library.findByKey('a')!.id);
  t.deepEqual(shown(library), eightNames);
  library.close();
});

interface Told {
  readonly names: readonly string[];
  readonly texts: readonly (string | null)[];
  readonly id: number;
}

/** The plain way: for each name the text that comes first in the newest file that has one. */
function lastTexts(files: ReadonlyMap<string, Told>): Record<string, string> {
  const texts: Record<string, string> = {};
  const byPath = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [, file] of byPath.toSorted(([, a], [, b]) => a.id - b.id))
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
  type Step = [string, (Omit<Told, 'id'> & { isOlder: boolean }) | null];
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
        `SELECT name, coalesce(coalesce(d.fields, w.fields) ->> 'desc', '') AS text
         FROM waypoints w LEFT JOIN duplicates d ON d.waypoint = w.id WHERE d.shown IS NOT 0`,
      );
      const present = new Map<string, Told>();
      const take = (step: number, [file, content]: Step): void => {
        const known = library.findByKey(file);
        if (content !== null) {
          const id = content.isOlder ? 100 - step : 100 + step;
          put(library, file, content.names, content.texts, id);
          present.set(file, { ...content, id });
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
        `SELECT coalesce(d.fields, w.fields) ->> 'desc' FROM waypoints w
         LEFT JOIN duplicates d ON d.waypoint = w.id WHERE d.shown IS NOT 0 ORDER BY name`,
      )
      .pluck()
      .all();
  const [one, other] = [eightNames[0]!, eightNames[1]!].toSorted() as [string, string];
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

test('files of many rows of their own, and some that they share, leave nothing behind', (t) => {
  const path = join(directoryOf(t), 'library.sqlite');
  const library = newLibrary(path);
  const own = Array.from({ length: 200 }, (_, i) => `own ${i}`);
  const shared = Array.from({ length: 200 }, (_, i) => `shared ${i}`);
  put(library, 'a', [...own.slice(0, 150), eightNames[0]!, ...shared, eightNames[3]!]);
  put(library, 'b', [
    eightNames[1]!,
    ...shared,
    ...own.slice(150),
    eightNames[2]!,
    'own 0',
    'own 0',
  ]);
  put(library, 'a', own.slice(100, 150));
  t.deepEqual(
    shown(library),
    firstOfEach(
      new Map([
        ['a', own.slice(100, 150)],
        ['b', [eightNames[1]!, ...shared, ...own.slice(150), eightNames[2]!, 'own 0']],
      ]),
    ),
  );
  library.removeFile(library.findByKey('b')!.id);
  t.deepEqual(shown(library), own.slice(100, 150));
  library.removeFile(library.findByKey('a')!.id);
  t.is(library.shownCount(), 0);
  library.close();
});

test('imported waypoints are found by identity and by tag', (t) => {
  const root = directoryOf(t);
  const libraryPath = join(root, 'library.sqlite');
  const library = newLibrary(libraryPath);
  const [one, same, two] = eightNames as [string, string, string];
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
  t.deepEqual(store.findTagged('single', ['seen'], 8), found);
});

type Run = (this: { readonly source: string }, ...parameters: unknown[]) => unknown;

/** Fails where a statement that is run meanwhile goes through all waypoints. */
function failOnScans(t: ExecutionContext, path: string, work: () => void): void {
  const db = openReader(path);
  db.exec('CREATE TEMP TABLE touched (waypoint INTEGER PRIMARY KEY)');
  db.aggregate('merge_fields', { step: (_all: unknown, _fields: unknown) => null });
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
  const merging = [...new Set(texts)].filter((text) => text.includes('waypoints o'));
  t.true(merging.length >= 3);
  for (const text of merging) {
    const values = Array.from(text.matchAll(/\?/g), () => null);
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    for (const { detail } of plan.all(values)) t.notRegex(detail, /^SCAN [twof]\b/, text);
  }
  db.close();
}

for (const [title, first, second] of [
  ['after', 'a', 'b'],
  ['before', 'b', 'a'],
] as const)
  test(`a file that is added, replaced and removed ${title} one of half its waypoints takes no scan`, (t) => {
    const path = join(directoryOf(t), 'library.sqlite');
    const library = newLibrary(path);
    const count = 8_192;
    const many = (from: number) => Array.from({ length: count }, (_, i) => `N${from + i}`);
    put(library, first, many(0));
    failOnScans(t, path, () => {
      put(library, second, many(count / 2));
      put(library, second, many(count / 4));
      library.removeFile(library.findByKey(second)!.id);
    });
    t.deepEqual(shown(library), many(0));
    library.close();
  });
