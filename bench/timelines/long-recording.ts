import { lonLimitE7 } from '../../storage/day-blob.ts';
import { Random } from '../random.ts';
import { makeJourney } from './journey.ts';
import type { Profile } from './profile.ts';
import { record } from './recorder.ts';

/** Fixes of some days as columns, in order of time; what the worker reads from blobs. */
export interface Block {
  /** ms since 1970. */
  readonly timeMs: Float64Array;
  /** Units of 1e-7 degree. */
  readonly latE7: Int32Array;
  readonly lonE7: Int32Array;
}

const dayMs = 86_400_000;
/** Different journeys, which then repeat: every town and its way to another one. */
const patterns = 13;
const patternDays = 12;
/** Errors of 3 m or so in each direction, which last for some minutes. */
const errorSeed = 15;
const errorLasts = 0.97;
const errorE7 = 200;
/** With what is lost and silent, about 8,600 fixes a day: 63 million in 7,320 days. */
const profile: Profile = { name: 'long', intervalS: [8.14], days: patternDays };

/**
 * Records years of journeys, 13 days in a block. The same number of days gives the same fixes.
 * @param startDay since 1970.
 */
export function* longRecording(startDay: number, days: number): Generator<Block> {
  const made: Block[] = [];
  for (let day = 0, turn = 0; day < days; day += patternDays + 1, turn += 1) {
    const pattern = (made[turn % patterns] ??= makePattern(turn % patterns));
    const shiftMs = (startDay + day) * dayMs;
    const endMs = (startDay + days) * dayMs;
    const timeMs = pattern.timeMs.map((time) => time + shiftMs);
    const cut = timeMs.findIndex((time) => time >= endMs);
    const end = cut < 0 ? timeMs.length : cut;
    yield {
      timeMs: timeMs.subarray(0, end),
      latE7: pattern.latE7.subarray(0, end),
      lonE7: pattern.lonE7.subarray(0, end),
    };
  }
}

/**
 * The same journeys as a receiver would tell them that errs by some metres: no two days are alike. The same blocks give the
 * same fixes.
 */
export function* inaccurate(blocks: Iterable<Block>): Generator<Block> {
  const random = new Random(errorSeed);
  for (const { timeMs, latE7, lonE7 } of blocks) {
    let [north, east] = [0, 0];
    const [lats, lons] = [new Int32Array(latE7), new Int32Array(lonE7)];
    for (let at = 0; at < timeMs.length; at += 1) {
      north = north * errorLasts + random.bell() * errorE7;
      east = east * errorLasts + random.bell() * errorE7;
      lats[at]! += Math.round(north);
      // A receiver beside the antimeridian says no longitude beyond it.
      lons[at] = Math.max(-lonLimitE7, Math.min(lonLimitE7, lons[at]! + Math.round(east)));
    }
    yield { timeMs, latE7: lats, lonE7: lons };
  }
}

/** A journey whose times count from the start of its first UTC day. */
function makePattern(seed: number): Block {
  const { fixes } = record(makeJourney(seed, patternDays), profile, seed);
  const firstMs = Math.floor(fixes[0]!.timeMs / dayMs) * dayMs;
  return {
    timeMs: Float64Array.from(fixes, ({ timeMs }) => timeMs - firstMs),
    latE7: Int32Array.from(fixes, ({ lat }) => Math.round(lat * 1e7)),
    lonE7: Int32Array.from(fixes, ({ lon }) => Math.round(lon * 1e7)),
  };
}
