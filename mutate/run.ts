/**
 * `npm run mutate`: makes the sources wrong in one place after the other and sees whether a test fails. Options:
 * `--sample N` places (200 else), `--seed N`, `--rooms a,b` (storage, worker and http else; also folders and files),
 * `--tests a,b` (parts of the names of test files; all else). Prints the survivors and the share that was caught.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsAlways } from './always.ts';
import { mutantsOf, type Mutant } from './places.ts';
import { measureReach, reaches, type Reach } from './reach.ts';
import { Workbench } from './workbench.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: 'storage,worker,http' },
    tests: { type: 'string', default: '' },
  },
});
const root = join(import.meta.dirname, '..');
const rooms = values.rooms.split(',');
/** Of a mutant's tests first the few that are most likely to fail, then the others. */
const firstTests = 4;

setPriority(19);
const bench = new Workbench(root);
process.once('SIGINT', () => process.exit(130));
process.once('exit', () => bench.close());
const reach = measureReach(bench, testFiles(), ['storage', 'worker', 'http']);
const sampled = sample(allMutants(), Number(values.sample), Number(values.seed));
const isAlways = rooms.some((room) => room === 'storage');
const mutants = [...(isAlways ? mutantsAlways(read) : []), ...sampled];
const survivors = mutants.filter((mutant, at) => {
  const verdict = judge(mutant);
  process.stderr.write(`${at + 1}/${mutants.length} ${verdict} ${describe(mutant)}\n`);
  return verdict.startsWith('survives');
});
for (const mutant of survivors) process.stdout.write(`survives: ${describe(mutant)}\n`);
const caught = mutants.length - survivors.length;
const share = ((100 * caught) / mutants.length).toFixed(1);
process.stdout.write(
  `${caught} of ${mutants.length} mutants caught, ${share} % (seed ${values.seed})\n`,
);

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function testFiles(): string[] {
  const parts = values.tests.split(',');
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => parts.some((part) => file.includes(part)))
    .toSorted();
}

function allMutants(): Mutant[] {
  const files = rooms.flatMap((room) =>
    existsSync(join(root, room)) && room.endsWith('.ts')
      ? [room]
      : globSync(`${room}/**/*.ts`, { cwd: root }).map((file) => file.split(sep).join('/')),
  );
  return files.toSorted().flatMap((file) => mutantsOf(file, read(file)));
}

/** Draws without putting back; the same for the same seed and sources (a linear congruential generator of Knuth's). */
function sample(all: readonly Mutant[], size: number, seed: number): Mutant[] {
  const left = [...all];
  const drawn: Mutant[] = [];
  let state = BigInt(seed);
  while (drawn.length < size && left.length > 0) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    drawn.push(...left.splice(Number((state >> 33n) % BigInt(left.length)), 1));
  }
  return drawn;
}

function judge(mutant: Mutant): string {
  const tests = reach
    .filter((one) => reaches(one, mutant.file, mutant.start))
    .toSorted((a, b) => promise(a, mutant) - promise(b, mutant))
    .map(({ test }) => test);
  if (tests.length === 0) return 'survives (no test runs it)';
  const batches = [tests.slice(0, firstTests), tests.slice(firstTests)];
  for (const batch of batches.filter(({ length }) => length > 0)) {
    const outcome = bench.with(mutant, () => bench.run(batch));
    if (outcome !== 'passed') return `caught (${outcome})`;
  }
  return `survives (${tests.length} test files)`;
}

/** Small for tests that are quick, run little else, or are called like the source. */
function promise({ test, seconds, ran }: Reach, { file }: Mutant): number {
  const words = basename(file, '.ts').split('-');
  const isNamesake = words.some((word) => word.length > 3 && test.includes(word.slice(0, -1)));
  const isStrace = test.includes('sync-order') && read(file).includes('sync');
  return (seconds * Object.keys(ran).length) / (isNamesake || isStrace ? 20 : 1);
}

function describe({ file, start, end, replacement, kind }: Mutant): string {
  const text = read(file);
  const line = text.slice(0, start).split('\n').length;
  const flat = (piece: string): string => piece.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${kind}: ${flat(text.slice(start, end))} → ${flat(replacement) || 'nothing'}`;
}
