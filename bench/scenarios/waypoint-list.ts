import { openListBaseline, type ListBaseline } from '../baselines/list-sql.ts';
import { forgetPeak, ownCpuMs } from '../measure/process-cost.ts';
import { repeated } from '../measure/repeated.ts';
import { median } from '../measure/statistics.ts';
import { atMost, timesAtMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Prepared {
  readonly daemon: ServerProcess;
  readonly sql: ListBaseline;
}

const list = '/api/waypoints?emoji=true';
const mostLists = 60;
const firstBytes = 7;

/** The list of all waypoints, as a map asks for it at its start. */
export const waypointList = scenario<number, Prepared>({
  name: 'waypoints',
  title: `GET ${list}`,
  subjects: ({ sizes }) => sizes,
  label: (count) => counted(count, 'waypoints'),
  prepare: async (session, count) => {
    const root = await session.filled(count);
    return { daemon: await session.daemon(root), sql: openListBaseline(root) };
  },
  run: async ({ plan: { enoughCpuMs } }, { daemon, sql }) => {
    const cpuMs = (): number | undefined => daemon.cpuMs();
    const beforeMb = forgetPeak(daemon.pid);
    await daemon.get(list);
    const added = difference(daemon.cost()?.peakResidentMb, beforeMb);
    const most = { enoughCpuMs, mostCalls: mostLists };
    const own = await repeated({ cpuMs, call: () => daemon.get(list), ...most });
    const plain = await repeated({ cpuMs: ownCpuMs, call: () => sql.run(), ...most });
    return {
      firstByte: await firstByteMs(daemon),
      cpu: own.cpuMs,
      sqlCpu: plain.cpuMs,
      added,
    };
  },
  figures: () => [
    { what: 'first byte, wall', unit: 'ms', of: 'firstByte' },
    {
      what: 'CPU of the whole list',
      unit: 'ms',
      of: 'cpu',
      against: ['the join in plain SQL', 'sqlCpu', 'cost'],
      bar: timesAtMost(1.5),
    },
    { what: 'memory while sending', unit: 'MB', of: 'added', bar: atMost(30) },
  ],
});

async function firstByteMs(daemon: ServerProcess): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < firstBytes; i += 1) times.push((await daemon.get(list)).firstByteMs);
  return median(times);
}
