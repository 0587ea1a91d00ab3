/** Places below `imports/` that this user may not read or write, one by one or all. */
import { spawnSync } from 'node:child_process';
import { withoutAllRights, withoutRights } from './helpers/where.ts';
import { testProgram } from './helpers/program.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const program = testProgram('import-forbidden');

interface Imported {
  readonly added: number;
  readonly replaced: number;
  readonly duplicates: number;
  readonly failed: readonly string[];
}

interface Seen {
  readonly places: { readonly import: Imported; readonly start: object };
  readonly left: readonly string[];
  readonly opened: { readonly import: Imported; readonly start: object };
  readonly old: Imported;
  readonly kept: number;
  readonly unlisted: Imported;
  readonly whole: unknown;
}

withoutAllRights(
  'a place that is closed fails the files that belong there, and loses nothing',
  (t) => {
    const rights = withoutRights() ?? [];
    const [command, ...words] = [...rights, process.execPath, program, temporaryDirectory(t)];
    const { stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
    t.is(stderr, '');
    const { places, left, opened, old, kept, unlisted, whole }: Seen = JSON.parse(stdout);

    const files = ['blind/a', 'blind/b', 'dark/a', 'dark/b', 'edited', 'listed/a', 'listed/b'];
    const locked = ['locked/a', 'locked/b', 'locked/c/d'];
    const failed = [...files, ...locked].map((file) => `${file}.gpx unreadable`);
    t.deepEqual(places.import, { added: 1, replaced: 1, duplicates: 0, failed });
    t.deepEqual(left, []);
    const known = ['blind/a.gpx', 'copy-of-dark.gpx', 'dark/a.gpx', 'edited.gpx', 'listed/a.gpx'];
    t.like(places.start, { loaded: 0, dropped: 0, refused: 0, isWhole: false }, 'rows stay');
    t.like(places.start, { files: [...known, 'locked/a.gpx', 'z.gpx'] });

    t.like(opened.import, { added: 5, replaced: 5, failed: [] }, 'once they are open again');
    t.like(opened.start, { loaded: 0, dropped: 0, refused: 0, isWhole: true });

    t.deepEqual(old, { added: 1, replaced: 0, duplicates: 11, failed: ['z.gpx unreadable'] });
    t.is(kept, 6, 'old bytes that may not be deleted stop no import');
    t.deepEqual(unlisted.failed, ['z.gpx unreadable']);

    t.is(whole, 'EACCES', 'where nothing can be written, no file is blamed');
  },
);
