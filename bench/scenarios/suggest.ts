import { places } from '../data.ts';
import { percentile } from '../measure/statistics.ts';
import { Random } from '../random.ts';
import { atMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import { seed } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Subject {
  readonly count: number;
  /** Letters of stored names; undefined for queries that hit nothing, so that nothing can end the search early. */
  readonly letters: number | undefined;
}

interface Prepared {
  readonly daemon: ServerProcess;
  readonly queries: readonly string[];
}

const largeStore = 1_000_000;

/** Search as one types. */
export const suggest = scenario<Subject, Prepared>({
  name: 'suggest',
  title: 'GET /api/suggest',
  subjects: ({ sizes }) =>
    sizes.flatMap((count) => [1, 3, 8, undefined].map((letters) => ({ count, letters }))),
  rounds: () => 1,
  label: ({ count, letters }) =>
    `${counted(count, 'names')}, ${letters === undefined ? 'no hit' : counted(letters, 'letters')}`,
  prepare: async (session, { count, letters }) => {
    const names = Array.from(places({ seed, count }), ({ name }) => name);
    const random = new Random(seed);
    const queries = Array.from({ length: session.plan.searches }, () =>
      letters === undefined
        ? // No generated name has a q; the last letter differs so that no answer can be remembered.
          `qxq${String.fromCharCode(97 + random.below(26))}`
        : partOf(random.pick(names), letters, random),
    );
    const daemon = await session.filledDaemon(count);
    // The first requests of a process pay for code that was never run before.
    await search(daemon, queries.slice(0, queries.length / 4));
    return { daemon, queries };
  },
  run: async (_session, { daemon, queries }) => {
    const before = daemon.cpuMs();
    const walls = await search(daemon, queries);
    const spent = difference(daemon.cpuMs(), before);
    return { cpu: spent && spent / queries.length, p99: percentile(walls, 0.99) };
  },
  figures: ({ count }) => [
    {
      what: 'CPU of a request',
      unit: 'ms',
      of: 'cpu',
      bar: atMost(count === largeStore ? 15 : 3),
    },
    { what: 'a request, p99', unit: 'ms', of: 'p99', bar: atMost(25) },
  ],
});

async function search(daemon: ServerProcess, queries: readonly string[]): Promise<number[]> {
  const walls: number[] = [];
  for (const query of queries) {
    walls.push((await daemon.get(`/api/suggest?q=${encodeURIComponent(query)}`)).totalMs);
  }
  return walls;
}

/** A piece of a name without blanks at its ends, which the daemon would cut off. */
function partOf(whole: string, length: number, random: Random): string {
  const characters = Array.from(whole);
  const start = random.below(Math.max(1, characters.length - length + 1));
  const part = characters.slice(start, start + length).join('');
  return part.trim() === '' ? (characters[0] ?? 'a') : part.trim();
}
