import { dayOf } from '../../storage/day-blob.ts';
import { Calendar } from '../../worker/timeline/calendar/calendar.ts';
import { TimelineEngine } from '../../worker/timeline/engine.ts';
import { timelineOptions } from '../../worker/timeline/options.ts';
import { periodOf } from '../../worker/timeline/period.ts';
import { ownCpuMs } from '../measure/process-cost.ts';
import type { Block } from './long-recording.ts';

/**
 * Finds the stays of observations that are in memory already: no database, no blobs, no places, no text. What a job needs
 * beyond this is the price of everything else.
 * @returns CPU time without that of generating the blocks, ms.
 */
export function pureComputeMs(blocks: Iterable<Block>, startDay: number, days: number): number {
  const source = {
    id: 1,
    sha256: '0'.repeat(64),
    observations: 0,
    missingTimes: 0,
    invalidTimes: 0,
    unusablePoints: 0,
    lastMs: Infinity,
  };
  const calendar = new Calendar('UTC');
  const period = periodOf(startDay, startDay + days - 1, calendar.zoneAt(0, 0));
  const engine = new TimelineEngine(period, calendar, [source], undefined, timelineOptions);
  let spentMs = 0;
  for (const block of blocks) {
    const before = ownCpuMs();
    takeByDay(engine, block);
    spentMs += ownCpuMs() - before;
  }
  engine.finish();
  return spentMs;
}

function takeByDay(engine: TimelineEngine, block: Block): void {
  const { timeMs } = block;
  for (let from = 0; from < timeMs.length;) {
    const day = dayOf(timeMs[from]!);
    let to = from + 1;
    while (to < timeMs.length && dayOf(timeMs[to]!) === day) to += 1;
    engine.take(block, from, to, 0, 0);
    from = to;
  }
}
