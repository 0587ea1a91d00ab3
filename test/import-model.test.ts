/** Whatever is done with sources and managed copies, the library is what `imports/` says, and no bytes are lost. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { ReadingCancelled } from '../formats/refused.ts';
import { importInGroups } from '../worker/import/import-groups.ts';
import { copyPath } from '../worker/import/copy-path.ts';
import { ImportProgress } from '../worker/import/progress.ts';
import { followList } from '../worker/import/follow.ts';
import { smallBytes } from '../worker/import/source-file.ts';
import { listDirectory } from '../worker/import/source-list.ts';
import { rounds } from './helpers/effort.ts';
import { failCommits, partsOf } from './helpers/import-parts.ts';
import { dumpLibrary, filesBelow, gpx, importSite, writeTree } from './helpers/imports.ts';

/** The names of the waypoints of each content there is; undefined for one that is refused. */
const namesOf = new Map<string, readonly string[] | undefined>([
  ['<gpx><wpt', undefined],
  [gpx([]), []],
  // One that is not held in memory.
  [contentOf(['C', 'B', 'A', 'D']) + ' '.repeat(smallBytes), ['C', 'B', 'A', 'D']],
]);
for (const names of [['A'], ['B'], ['A', 'B', 'A'], ['D', 'D']])
  namesOf.set(contentOf(names), names);
for (let i = 0; i < 30; i += 1) {
  const names = [`E${i % 5}`, `F${i}`, 'A'];
  namesOf.set(contentOf(names), names);
}
const contents = [...namesOf.keys()];

function contentOf(names: readonly string[]): string {
  return gpx(names.map((name) => [name, 1, 2, '2024-05-01T00:00:00Z'] as const));
}

const path = fc.constantFrom('a.gpx', 'B.gpx', 'b/a.gpx', 'b/c/d.gpx', 'é.gpx', 'b.gpx', '-.gpx');
const content = fc.constantFrom(...contents);
/** Where a source is moved to before another one takes its place; comes before that one. */
const archived = fc.nat(99).map((number) => `+${number}.gpx`);
/** A private file: whichever is there under this number. */
const at = fc.nat(50);
/** Before which file, or commit, something happens; null for none. */
const moment = fc.constantFrom(null, null, null, null, 0, 1, 3, 6);
const importStep = fc.record({
  kind: fc.constant('import' as const),
  into: fc.constantFrom([], [], ['x']),
  isLater: fc.boolean(),
  cancelAt: moment,
  failAt: moment,
  failures: fc.integer({ min: 1, max: 3 }),
});
const step = fc.oneof(
  { weight: 7, arbitrary: importStep },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write many' as const), first: at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('rotate' as const), path, to: archived, content }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete private' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit private' as const), at, content }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move private' as const), at, path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('touch private' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A data directory and its sources, and what is known of them without asking the library. */
class Model {
  readonly #t: ExecutionContext;
  readonly #site;
  /** What was once private and was not removed from there by hand. */
  readonly #kept = new Set<string>();
  /** Something was done by hand below `imports/`, so the library is right only after the next start. */
  #isByHand = false;

  constructor(t: ExecutionContext) {
    this.#t = t;
    this.#site = importSite(t);
  }

  do(given: Step): void {
    if (given.kind === 'import') this.#import(given);
    else if (given.kind === 'start') this.start();
    else if ('at' in given) this.#byHand(given);
    else this.#changeSources(given);
  }

  start(): void {
    const { libraryPath, imports } = this.#site;
    this.#t.true(this.#reconcile(libraryPath, imports).isWhole);
    this.#isByHand = false;
    this.#check();
  }

  #changeSources(given: Exclude<Step, { kind: 'import' | 'start' } | { at: number }>): void {
    const { source } = this.#site;
    if (given.kind === 'write many') {
      for (let i = 0; i < 70; i += 1)
        writeTree(source, { [`m/${i}.gpx`]: contents[(given.first + i) % 10]! });
      return;
    }
    const from = join(source, given.path);
    if (given.kind === 'remove') rmSync(from, { force: true });
    else if (given.kind === 'write') writeTree(source, { [given.path]: given.content });
    else if (existsSync(from)) {
      move(from, join(source, given.to));
      writeTree(source, { [given.path]: given.content });
    }
  }

  #byHand(given: Extract<Step, { at: number }>): void {
    const { imports } = this.#site;
    const present = this.#private();
    const file = [...present.keys()][given.at % present.size];
    if (file === undefined) return;
    this.#isByHand = true;
    const there = join(imports, file);
    if (given.kind === 'touch private') utimesSync(there, 1_000 + given.at, 1_000);
    else if (given.kind === 'move private') {
      if (!present.has(given.path)) move(there, join(imports, given.path));
    } else {
      this.#kept.delete(present.get(file)!);
      if (given.kind === 'delete private') rmSync(there);
      else writeTree(imports, { [file]: given.content });
    }
  }

  #import(given: Extract<Step, { kind: 'import' }>): void {
    const site = { ...this.#site, progress: new ImportProgress() };
    const run = partsOf(this.#t, site, Date.now() + (given.isLater ? 60_000 : 0));
    if (given.failAt !== null)
      failCommits(run.library, { after: given.failAt, times: given.failures });
    const place = run.files.place.bind(run.files);
    let placed = 0;
    run.files.place = (...words) => {
      if (placed === given.cancelAt) run.progress.cancel();
      placed += 1;
      return place(...words);
    };
    const { entries } = listDirectory(site.source, true, { own: [], isCancelled: () => false });
    const files = entries.map(({ file }) => file);
    try {
      const left = importInGroups(entries, run, ({ file }) => ({
        root: site.source,
        file,
        target: copyPath([...given.into, ...file.split('/')]),
      }));
      const { files: imported, skipped } = run.tally.result('', undefined, false);
      this.#t.is(imported + skipped + left.length, files.length);
      if (!run.progress.isCancelled) this.#t.deepEqual(left, []);
      if (left.length === 0) this.#checkImported(files);
    } catch (error) {
      const isMeant = error instanceof ReadingCancelled || (error as Error).message === 'full';
      if (!isMeant) throw error;
    } finally {
      run.library.close();
    }
    for (const text of this.#private().values()) this.#kept.add(text);
    if (!this.#isByHand) this.#check();
  }

  #reconcile(libraryPath: string, importsDirectory: string) {
    const { shared: progress } = new ImportProgress();
    const { waypointsPath } = this.#site;
    return followList({ libraryPath, waypointsPath, importsDirectory, progress, now: Date.now() });
  }

  /** The managed copies with what they hold, in byte order of their paths. */
  #private(): Map<string, string> {
    const { imports } = this.#site;
    const files = filesBelow(imports).filter((file) => !file.startsWith('.'));
    files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return new Map(files.map((file) => [file, readFileSync(join(imports, file), 'utf8')]));
  }

  #checkImported(files: readonly string[]): void {
    const there = new Set(this.#private().values());
    for (const file of files) {
      const text = readFileSync(join(this.#site.source, file), 'utf8');
      if (namesOf.get(text) !== undefined) this.#t.true(there.has(text), file);
    }
  }

  #check(): void {
    const { libraryPath, imports, source } = this.#site;
    const dump = dumpLibrary(libraryPath);
    const good = [...this.#private()].filter(([, text]) => namesOf.get(text) !== undefined);
    this.#t.deepEqual(
      dump['files']!.map((row) => (row as unknown[])[0]),
      good.map(([file]) => file),
    );
    const rows = dump['waypoints']! as unknown[][];
    const shown = rows.filter((row) => row.at(-1) === 1).map((row) => row[2]);
    this.#t.deepEqual(shown, [...new Set(good.flatMap(([, text]) => namesOf.get(text)!))]);

    const fresh = join(dirname(source), 'fresh.sqlite');
    prepareLibrary(fresh, 0);
    this.#reconcile(fresh, imports);
    this.#t.deepEqual(dump, dumpLibrary(fresh), 'as if it were made anew');
    for (const suffix of ['', '-wal', '-shm']) rmSync(fresh + suffix, { force: true });

    const all = filesBelow(imports);
    const bytes = new Set(all.map((file) => readFileSync(join(imports, file), 'utf8')));
    for (const text of this.#kept) this.#t.true(bytes.has(text), 'no bytes are lost');
    this.#t.false(all.some((file) => file.endsWith('.tmp')));
  }
}

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

test('the library is what imports/ says, and nothing is lost, whatever is done', (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const model = new Model(t);
      for (const one of steps) model.do(one);
      model.start();
    }),
    { numRuns: rounds(5), includeErrorInReport: true, endOnFailure: true },
  );
});
