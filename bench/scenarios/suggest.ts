import { openLikeBaseline, type LikeBaseline } from '../baselines/like-sql.ts';
import { places } from '../data.ts';
import { ownCpuMs } from '../measure/process-cost.ts';
import { percentile } from '../measure/statistics.ts';
import { Random } from '../random.ts';
import { ownSeries } from '../report/charts.ts';
import type { Figure } from '../report/figure.ts';
import { seed, type Scenario, type Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Kind {
  readonly title: string;
  readonly query: (random: Random, names: readonly string[]) => string;
  /** Five times LIKE is asked where nothing is found, so that nothing can end the search early. */
  readonly isWithoutHit: boolean;
}

interface SearchCost {
  readonly cpuMs: number | undefined;
  readonly walls: number[];
}

const name = 'suggest';
const largeStore = 1_000_000;
const likeSeries = 'SQL LIKE';

const kinds: readonly Kind[] = [
  ...[1, 2, 3, 8].map((length) => ({
    title: length === 1 ? '1 character' : `${length} characters`,
    query: (random: Random, names: readonly string[]) => partOf(random.pick(names), length, random),
    isWithoutHit: false,
  })),
  {
    title: 'no hit',
    // No generated name has a q; the last letter differs so that no answer can be remembered.
    query: (random) => `qxq${String.fromCharCode(97 + random.below(26))}`,
    isWithoutHit: true,
  },
];

/** Search as one types. */
export const suggest: Scenario = {
  name,
  title: 'GET /api/suggest',
  async *run(session) {
    for (const count of session.plan.sizes) yield* ofSize(session, count);
  },
};

async function* ofSize(session: Session, count: number): AsyncGenerator<Figure> {
  const names = [...places({ seed, count })].map((place) => place.name);
  const like = openLikeBaseline(names);
  const daemon = await session.daemon(await session.filled(count));
  const random = new Random(seed);
  for (const kind of kinds) {
    const { searches } = session.plan;
    const queries = Array.from({ length: searches }, () => kind.query(random, names));
    // The first requests of a process pay for code that was never run before.
    await searchDaemon(daemon, queries.slice(0, searches / 4));
    const own = await searchDaemon(daemon, queries);
    const sql = searchSql(like, queries.slice(0, searches / 4));
    if (kind.isWithoutHit) {
      session.plot('suggest', ownSeries, count, own.cpuMs);
      session.plot('suggest', likeSeries, count, sql.cpuMs);
    }
    yield* figuresOf(session, { count, kind, own, sql });
  }
  await session.stop(daemon);
  like.close();
}

async function searchDaemon(
  daemon: ServerProcess,
  queries: readonly string[],
): Promise<SearchCost> {
  const walls: number[] = [];
  const before = daemon.cpuMs();
  for (const query of queries) {
    const answer = await daemon.get(`/api/suggest?q=${encodeURIComponent(query)}`);
    walls.push(answer.totalMs);
  }
  const after = daemon.cpuMs();
  const spent = before === undefined || after === undefined ? undefined : after - before;
  return { cpuMs: spent === undefined ? undefined : spent / queries.length, walls };
}

function searchSql(like: LikeBaseline, queries: readonly string[]): SearchCost {
  const walls: number[] = [];
  const before = ownCpuMs();
  for (const query of queries) {
    const started = performance.now();
    like.run(query);
    walls.push(performance.now() - started);
  }
  return { cpuMs: (ownCpuMs() - before) / queries.length, walls };
}

interface Searched {
  readonly count: number;
  readonly kind: Kind;
  readonly own: SearchCost;
  readonly sql: SearchCost;
}

function figuresOf({ plan }: Session, { count, kind, own, sql }: Searched): Figure[] {
  const line = {
    scenario: name,
    subject: `${count.toLocaleString('en')} names, ${kind.title}`,
    unit: 'ms' as const,
  };
  const baseline = (value: number | undefined): Figure['baseline'] => ({
    name: likeSeries,
    value,
    ratio: 'gain',
  });
  return [
    {
      ...line,
      what: 'CPU of a request',
      value: own.cpuMs,
      baseline: baseline(sql.cpuMs),
      bar: kind.isWithoutHit && count === largeStore ? { of: 'ratio', atLeast: 5 } : undefined,
      goal: 'suggestGain',
    },
    {
      ...line,
      what: 'a request, p50',
      value: percentile(own.walls, 0.5),
      baseline: baseline(percentile(sql.walls, 0.5)),
    },
    {
      ...line,
      what: 'a request, p99',
      value: percentile(own.walls, 0.99),
      baseline: baseline(percentile(sql.walls, 0.99)),
      bar: plan.isQuick ? undefined : { of: 'figure', atMost: 25 },
      goal: 'suggestTime',
    },
  ];
}

/** A piece of a name without blanks at its ends, which the daemon would cut off. */
function partOf(whole: string, length: number, random: Random): string {
  const characters = Array.from(whole);
  const start = random.below(Math.max(1, characters.length - length + 1));
  const part = characters.slice(start, start + length).join('');
  return part.trim() === '' ? (characters[0] ?? 'a') : part.trim();
}
