import { load } from '../measure/load.ts';
import { timesAtLeast } from '../report/figure.ts';
import { difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

const path = '/api/version';
const connections = 8;
const warmMs = 500;
/** Many short turns rather than few long ones: a moment in which the machine is busy then harms both alike. */
const turnsPerRound = 3;
const koa = 'bare Koa and router';

/** Cost of the layers between the socket and an answer. */
export const smallGet = scenario<string, readonly [own: ServerProcess, bare: ServerProcess]>({
  name: 'small-get',
  title: `GET ${path} on ${connections} connections`,
  subjects: () => [`GET ${path}, ${connections} connections`],
  rounds: ({ rounds, isQuick }) => (isQuick ? 1 : rounds * turnsPerRound),
  label: (subject) => subject,
  prepare: async (session) => {
    const servers = [await session.daemon(), await session.bareServer('koa')] as const;
    for (const server of servers) await loaded(server, Math.min(warmMs, session.plan.loadMs));
    return servers;
  },
  run: async ({ plan: { loadMs } }, [own, bare]) => {
    const [ofOwn, ofBare] = [await loaded(own, loadMs), await loaded(bare, loadMs)];
    return { cpu: ofOwn, bareCpu: ofBare };
  },
  figures: () => [
    {
      what: 'CPU of a request',
      unit: 'ms',
      of: 'cpu',
      against: [koa, 'bareCpu', 'gain'],
      bar: timesAtLeast(0.7),
    },
  ],
});

/** @returns CPU of a request, ms; undefined where it cannot be measured. */
async function loaded(server: ServerProcess, durationMs: number): Promise<number | undefined> {
  const before = server.cpuMs();
  const request = server.request(path);
  const answered = await load({ request, connections, durationMs });
  const spent = difference(server.cpuMs(), before);
  const isMeasured = spent !== undefined && spent > 0 && answered > 0;
  return isMeasured ? spent / answered : undefined;
}
