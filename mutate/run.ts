/**
 * `npm run mutate`: makes the sources wrong in one place after the other and sees whether a test fails. Linux. Options:
 * `--sample N` places (200 else), `--seed N`, `--rooms a,b` (storage, worker and http else; also folders and files),
 * `--tests a,b` and `--without a,b` (parts of the names of test files; all else), `--cpu N` seconds of tests a mutant, the most specific first
 * (60 else), `--results DIRECTORY` for what has been found so far: a run that was interrupted goes on there, and one with
 * a larger `--cpu` looks at the survivors again. Prints the survivors and the share that was caught.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsAlways } from './always.ts';
import { Journal, type Reach, type Verdict } from './journal.ts';
import { mutantsOf, type Mutant } from './places.ts';
import { canSwitch, type Switched } from './switches.ts';
import { Workbench } from './workbench.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: 'storage,worker,http' },
    tests: { type: 'string', default: '' },
    without: { type: 'string', default: '?' },
    cpu: { type: 'string', default: '60' },
    results: { type: 'string' },
  },
});
const root = join(import.meta.dirname, '..');
const rooms = values.rooms.split(',');
/** CPU seconds of a test file alone, far more than any needs, and by how much a mutant may slow it down. */
const mostCpu = 400;
const slower = 4;

setPriority(5);
const bench = new Workbench(root);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.once('exit', () => bench.close());
const mutants = drawn();
const key = createHash('sha256')
  .update(JSON.stringify([bench.sourcesHash, mutants]))
  .digest('hex');
const results = values.results ?? join(root, 'node_modules/.cache/waypointd-mutate');
const journal = new Journal(join(results, `${key.slice(0, 16)}.jsonl`));
bench.prepare(mutants);
await measureReach();
for (const mutant of mutants) await judge(mutant);
report();

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).map((file) => file.split(sep).join('/'));
}

/** Draws without putting back; the same for the same seed and sources (a linear congruential generator of Knuth's). */
function drawn(): Switched[] {
  const isAlways = rooms.includes('storage');
  const taken: Mutant[] = isAlways ? mutantsAlways(read) : [];
  const size = taken.length + Number(values.sample);
  const files = rooms.flatMap((room) =>
    existsSync(join(root, room)) && room.endsWith('.ts') ? [room] : filesOf(`${room}/**/*.ts`),
  );
  const left = files.toSorted().flatMap((file) => mutantsOf(file, read(file)));
  let state = BigInt(values.seed);
  while (taken.length < size && left.length > 0) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    const [one] = left.splice(Number((state >> 33n) % BigInt(left.length)), 1);
    // Two in one place cannot both have a switch.
    if (one !== undefined && !taken.some((other) => overlaps(one, other)))
      if (canSwitch(one, read(one.file))) taken.push(one);
  }
  return taken.map((mutant, at) => ({ ...mutant, id: at + 1 }));
}

function overlaps(a: Mutant, b: Mutant): boolean {
  return a.file === b.file && a.start < b.end && b.start < a.end;
}

/** Runs each test file once without any mutant. */
async function measureReach(): Promise<void> {
  const isIn = (file: string, parts: string): boolean =>
    parts.split(',').some((part) => file.includes(part));
  const tests = filesOf('test/**/*.test.ts').filter(
    (file) => isIn(file, values.tests) && !isIn(file, values.without),
  );
  const isLate = (test: string): number => Number(/\/(?:clients\/|cli-|backup)/u.test(test));
  const order = tests.toSorted().toSorted((a, b) => isLate(a) - isLate(b));
  for (const [at, test] of order.entries()) {
    if (journal.reaches.has(test)) continue;
    const { outcome, cpu, output } = await bench.run([test], 0, { cpu: mostCpu });
    const reached = bench.reached();
    journal.add({ reach: { test, passes: outcome === 'passed', cpu, reached } });
    const figures = `${outcome}, ${cpu.toFixed(0)} s, ${reached.length} mutants`;
    process.stderr.write(`reach ${at + 1}/${tests.length} ${test}: ${figures}\n`);
    if (outcome !== 'passed') process.stderr.write(output.split('\n').slice(-15).join('\n'));
  }
}

async function judge(mutant: Switched): Promise<void> {
  const tests = [...journal.reaches.values()]
    .filter(({ passes, reached }) => passes && reached.includes(mutant.id))
    .toSorted((a, b) => promise(a, mutant) - promise(b, mutant));
  const before = journal.verdicts.get(mutant.id);
  if (before !== undefined && before.outcome !== 'passed') return;
  const known = new Set(before?.tests);
  const chosen: Reach[] = [];
  let cpu = 0;
  for (const test of tests) {
    if (cpu + test.cpu > Number(values.cpu) && chosen.length > 0) break;
    cpu += test.cpu;
    chosen.push(test);
  }
  const fresh = chosen.filter(({ test }) => !known.has(test)).map(({ test }) => test);
  const all = chosen.map(({ test }) => test);
  const left = tests.length - all.length;
  const ending =
    fresh.length === 0
      ? { outcome: 'passed' as const, cpu: 0 }
      : await bench.run(fresh, mutant.id, { cpu: 30 + slower * cpu });
  const verdict = { id: mutant.id, outcome: ending.outcome, tests: all, left, cpu: ending.cpu };
  journal.add({ verdict });
  process.stderr.write(`${mutant.id}/${mutants.length} ${asText(verdict)}: ${describe(mutant)}\n`);
}

/** Small for tests that are quick, run little else, or are called like the source or its folders. */
function promise({ test, cpu, reached }: Reach, { file }: Mutant): number {
  const isCalled = (name: string): boolean =>
    name.split('-').some((word) => word.length > 3 && test.includes(word.slice(0, -1)));
  const isStrace = test.includes('sync-order') && read(file).includes('sync');
  const likely = isCalled(basename(file, '.ts')) || isStrace ? 0.05 : 1;
  const near = file.split('/').slice(1, -1).some(isCalled) ? 0.2 : 1;
  return (cpu + 1) * (reached.length + 10) * likely * near;
}

function asText({ outcome, tests, left, cpu }: Verdict): string {
  if (outcome !== 'passed') return `caught (${outcome}, ${cpu.toFixed(0)} s)`;
  if (tests.length === 0) return 'survives (no test runs it)';
  return `survives (${tests.length} test files${left > 0 ? ` of ${tests.length + left}` : ''})`;
}

function report(): void {
  let caught = 0;
  for (const mutant of mutants) {
    const verdict = journal.verdicts.get(mutant.id);
    if (verdict === undefined) continue;
    if (verdict.outcome === 'passed')
      process.stdout.write(`${asText(verdict)}: ${describe(mutant)}\n`);
    else caught += 1;
  }
  const share = ((100 * caught) / mutants.length).toFixed(1);
  process.stdout.write(
    `${caught} of ${mutants.length} mutants caught, ${share} % (seed ${values.seed})\n`,
  );
}

function describe({ file, start, end, replacement, kind }: Mutant): string {
  const text = read(file);
  const line = text.slice(0, start).split('\n').length;
  const flat = (piece: string): string => piece.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${kind}: ${flat(text.slice(start, end))} → ${flat(replacement) || 'nothing'}`;
}
