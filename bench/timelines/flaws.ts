import { Random } from '../random.ts';
import { moved } from './geometry.ts';
import { logBetween, type Fix } from './recorder.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** Longest step of recorded time; longer ones count as this much. */
const longestStepMs = 2 * minuteMs;
const spikeEveryMs = 40 * minuteMs;
const zeroEveryMs = 6 * hourMs;
const towerEveryMs = 12 * hourMs;
const echoEveryMs = 6 * hourMs;
const equalStampShare = 0.01;
const swapShare = 0.005;

/**
 * Spoils fixes as bad receivers and careless programs do: single jumps of 0.3–60 km, 0°N 0°E, minutes in which a house
 * across the street throws everything 60–200 m aside, equal stamps, neighbours whose stamps or places in the file are
 * swapped.
 * @returns fixes in the order of the file.
 */
export function disturb(fixes: readonly Fix[], seed: number): Fix[] {
  const random = new Random(seed);
  const result: Fix[] = [];
  let echo = { endMs: -Infinity, east: 0, north: 0 };
  let before = -Infinity;
  for (const fix of fixes) {
    const stepMs = Math.min(longestStepMs, fix.timeMs - before);
    before = fix.timeMs;
    if (random.unit() < stepMs / echoEveryMs) {
      const metres = random.between(60, 200);
      const [east, north] = direction(random, metres);
      echo = { endMs: fix.timeMs + random.between(20, 150) * 1_000, east, north };
    }
    let spoilt = fix;
    if (fix.timeMs < echo.endMs) spoilt = { ...fix, ...moved(fix, echo.east, echo.north) };
    if (random.unit() < stepMs / spikeEveryMs) {
      spoilt = { ...fix, ...moved(fix, ...direction(random, logBetween(random, 300, 60_000))) };
    }
    if (random.unit() < stepMs / zeroEveryMs) spoilt = { ...fix, lat: 0, lon: 0 };
    result.push(spoilt);
  }
  return disorder(random, result);
}

/** Puts some minutes at a time, and all that is recorded in them, at a cell tower far away. */
export function throwAbout(fixes: readonly Fix[], seed: number): Fix[] {
  const random = new Random(seed);
  let [towerMs, endMs, tower] = [-Infinity, -Infinity, { east: 0, north: 0 }];
  return fixes.map((fix) => {
    if (fix.timeMs >= towerMs) {
      const [east, north] = direction(random, logBetween(random, 10_000, 40_000));
      tower = { east, north };
      endMs = towerMs + random.between(1, 25) * minuteMs;
      towerMs = Math.max(towerMs, fix.timeMs) + logBetween(random, hourMs, towerEveryMs);
    }
    return fix.timeMs < endMs ? { ...fix, ...moved(fix, tower.east, tower.north) } : fix;
  });
}

function disorder(random: Random, fixes: Fix[]): Fix[] {
  for (let i = 1; i < fixes.length; i += 1) {
    const [a, b] = [fixes[i - 1]!, fixes[i]!];
    // Neighbours in a silence or a long interval are no neighbours to such programs.
    if (b.timeMs - a.timeMs > longestStepMs) continue;
    const chance = random.unit();
    if (chance < equalStampShare) fixes[i] = { ...b, timeMs: a.timeMs };
    else if (chance < equalStampShare + swapShare) {
      [fixes[i - 1], fixes[i]] = [
        { ...b, timeMs: a.timeMs },
        { ...a, timeMs: b.timeMs },
      ];
    } else if (chance < equalStampShare + 2 * swapShare) [fixes[i - 1], fixes[i]] = [b, a];
  }
  return fixes;
}

function direction(random: Random, metres: number): [east: number, north: number] {
  const angle = random.between(0, 6.283);
  return [Math.cos(angle) * metres, Math.sin(angle) * metres];
}
