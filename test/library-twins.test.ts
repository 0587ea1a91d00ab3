/** Twins within and between files: as if they were compared one by one. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { openReader } from '../storage/database.ts';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { LibraryWriter } from '../storage/library/writer.ts';
import { rounds } from './helpers/effort.ts';
import { noCounts } from './helpers/no-counts.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const [lat, lon] = [1, 2];

const eightNames: readonly string[] = Array.from({ length: 8 }, (_, i) => `N${i}`);

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

const names = fc.array(fc.constantFrom(...eightNames.slice(0, 4), 'Other'), { maxLength: 6 });

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
  const path = join(temporaryDirectory(t), 'library.sqlite');
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
      numRuns: rounds(20),
      examples: [1, 14].flatMap((together) =>
        [newestOfThreeLeaves, replacedByAnOlder, replacedByTwins].map(
          (sequence): [Step[], number] => [sequence, together],
        ),
      ),
    },
  );
});
