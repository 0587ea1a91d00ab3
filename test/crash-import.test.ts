/** kill -9 in the middle of imports: what was answered is there, what was not is there whole or not at all. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import test from 'ava';
import { prepareLibrary } from '../storage/library/prepare.ts';
import { ImportProgress } from '../worker/import/progress.ts';
import { followList } from '../worker/import/follow.ts';
import { rounds } from './helpers/effort.ts';
import { allowedContent } from './helpers/import-versions.ts';
import { dumpLibrary, emptyList, filesBelow } from './helpers/imports.ts';
import { testProgram } from './helpers/program.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const kills = rounds(10, 2);
const program = testProgram('import-forever');

/**
 * Runs imports from a version on and kills them.
 * @param answers how many answers to wait for
 * @param ms how long after that to kill
 * @returns the last version that was answered.
 */
async function importUntilKilled(root: string, from: number, answers: number, ms: number) {
  const child = spawn(process.execPath, [program, root, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  let last = from - 1;
  const lines = createInterface({ input: child.stdout });
  const enough = new Promise<void>((done) => {
    lines.on('line', (line) => {
      last = Number(line);
      if (last - from + 1 >= answers) done();
    });
  });
  await Promise.race([enough, gone]);
  await delay(ms);
  child.kill('SIGKILL');
  await gone;
  return last;
}

function reconcile(root: string): ReturnType<typeof followList> {
  const libraryPath = join(root, 'library.sqlite');
  prepareLibrary(libraryPath, Date.now());
  return followList({
    libraryPath,
    waypointsPath: emptyList(root),
    importsDirectory: join(root, 'imports'),
    progress: new ImportProgress().shared,
    now: Date.now(),
  });
}

test('whenever the process is killed, no answered import is lost and none is half', async (t) => {
  const root = temporaryDirectory(t);
  const imports = join(root, 'imports');
  let answered = 0;
  let unfinished = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    // The moments are spread over an import, which takes about 20 ms.
    answered = await importUntilKilled(root, answered + 1, 1 + (kill % 2), (kill * 7) % 23);
    unfinished += filesBelow(imports).filter((file) => file.endsWith('.tmp')).length;
    const { isWhole, loaded, dropped } = reconcile(root);
    unfinished += loaded + dropped;
    t.true(isWhole);
    const present = filesBelow(imports).filter((file) => !file.startsWith('.replaced/'));
    const allowed = allowedContent(answered);
    for (const file of present) {
      const content = readFileSync(join(imports, file), 'utf8');
      t.true(allowed.get(file)?.contents.includes(content), `${file} after kill ${kill}`);
    }
    for (const [file, { must }] of allowed) {
      if (must) t.true(existsSync(join(imports, file)), `${file} after kill ${kill}`);
    }
    const { files, waypoints, days } = dumpLibrary(join(root, 'library.sqlite'));
    t.deepEqual(
      files!.map((row) => (row as string[])[0]),
      present.toSorted(),
    );
    t.is(waypoints!.length, present.length * 40);
    t.is(days!.length, present.length);
  }
  const dump = dumpLibrary(join(root, 'library.sqlite'));
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(root, `library.sqlite${suffix}`), { force: true });
  reconcile(root);
  t.deepEqual(dumpLibrary(join(root, 'library.sqlite')), dump, 'as if it had never been killed');
  t.log(`${answered} imports answered, ${unfinished} unfinished pieces met`);
});
