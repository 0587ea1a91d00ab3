/** Which test files run a place of the sources: each is run once under V8's coverage, which is kept until its sources change. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workbench } from './workbench.ts';

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** Of one test file: how long it runs alone, and by source the offsets [start, end) that ran. */
export interface Reach {
  readonly test: string;
  readonly seconds: number;
  readonly ran: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

/** Whether a test file runs the code at an offset. */
export function reaches({ ran }: Reach, file: string, offset: number): boolean {
  return ran[file]?.some(([start, end]) => start <= offset && offset < end) ?? false;
}

export function measureReach(
  bench: Workbench,
  tests: readonly string[],
  rooms: readonly string[],
): Reach[] {
  const cache = join(bench.root, 'node_modules/.cache/waypointd-mutate', bench.sourcesHash);
  mkdirSync(cache, { recursive: true });
  return tests.map((test, at) => {
    const kept = join(
      cache,
      `${createHash('sha256').update(test).digest('hex').slice(0, 16)}.json`,
    );
    if (!existsSync(kept)) {
      process.stderr.write(`reach ${at + 1}/${tests.length} ${test}\n`);
      writeFileSync(kept, JSON.stringify(reachOf(bench, test, rooms)));
    }
    return JSON.parse(readFileSync(kept, 'utf8')) as Reach;
  });
}

/** @throws Error for a test that fails without any mutant. */
function reachOf(bench: Workbench, test: string, rooms: readonly string[]): Reach {
  const directory = mkdtempSync(join(tmpdir(), 'waypointd-reach-'));
  try {
    const begin = performance.now();
    const outcome = bench.run([test], { NODE_V8_COVERAGE: directory });
    const seconds = (performance.now() - begin) / 1000;
    if (outcome !== 'passed') throw new Error(`${test} does not pass without a mutant: ${outcome}`);
    const ran: Record<string, (readonly [number, number])[]> = {};
    for (const name of readdirSync(directory)) {
      const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Report;
      for (const { url, functions } of result) {
        const file = fileBelow(bench.directory, url, rooms);
        if (file !== undefined) ran[file] = [...(ran[file] ?? []), ...ranOf(functions)];
      }
    }
    return { test, seconds, ran };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

function fileBelow(directory: string, url: string, rooms: readonly string[]): string | undefined {
  const base = `${pathToFileURL(directory).href}/`;
  const file = url.startsWith(base) ? url.slice(base.length) : undefined;
  return rooms.some((room) => file?.startsWith(`${room}/`)) ? file : undefined;
}

/** V8 nests ranges: an inner one says what of the outer one ran otherwise. */
function ranOf(functions: Report['result'][number]['functions']): (readonly [number, number])[] {
  const ran: (readonly [number, number])[] = [];
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
    if (count > 0) ran.push([startOffset, endOffset]);
    else ran.splice(0, ran.length, ...ran.flatMap((one) => without(one, [startOffset, endOffset])));
  }
  return ran;
}

function without(
  [start, end]: readonly [number, number],
  [from, to]: readonly [number, number],
): (readonly [number, number])[] {
  if (to <= start || end <= from) return [[start, end]];
  const left: (readonly [number, number])[] = start < from ? [[start, from]] : [];
  return to < end ? [...left, [to, end]] : left;
}
