import type { Random } from '../random.ts';

/** One second of a recording. */
export interface WalkPoint {
  readonly lat: number;
  readonly lon: number;
  /** Metres. */
  readonly ele: number;
  /** ms since 1970. */
  readonly time: number;
  /** True when the recorder was off before this point. */
  readonly startsSegment: boolean;
}

const metresPerDegree = 111_195;
/** Standing, on foot, by bicycle, in town, on a motorway. Metres per second. */
const paces = [0, 1.3, 4.5, 13, 30];
const firstTime = Date.UTC(2015, 0, 1, 6);
/** The walk turns back here: further north a degree of longitude is too short for the flat steps below. */
const maxLat = 60;

/** Walks at random as a GPS recorder at 1 Hz sees it: smooth turns, changing pace, hills, pauses of up to ten hours. */
export function* walk(random: Random, points: number): Generator<WalkPoint> {
  let lat = random.between(-55, 55);
  let lon = random.between(-180, 180);
  let ele = random.between(0, 900);
  let time = firstTime;
  let [east, north] = [1, 0];
  let speed = 1;
  let pace = 1.3;
  let startsSegment = true;
  for (let i = 0; i < points; i += 1) {
    yield { lat, lon, ele, time, startsSegment };
    const turn = random.bell() * 0.2;
    [east, north] = unitVector(east - north * turn, north + east * turn);
    if (random.oneIn(300)) pace = random.pick(paces);
    speed = Math.max(0, speed + (pace - speed) * 0.1 + random.bell() * 0.3);
    lat += (north * speed) / metresPerDegree;
    if (Math.abs(lat) > maxLat) north = -Math.sign(lat) * Math.abs(north);
    lon = wrapped(lon + (east * speed) / (metresPerDegree * cosine(lat)));
    ele = Math.max(0, ele + random.bell() * 0.4);
    startsSegment = random.oneIn(5_000);
    time += startsSegment ? 1_000 * (600 + random.below(36_000)) : 1_000;
  }
}

function unitVector(x: number, y: number): [number, number] {
  const length = Math.sqrt(x * x + y * y);
  return [x / length, y / length];
}

/** The first terms of the series: within 0.001 up to 60 degrees, and the same bits everywhere (see Random). */
function cosine(degrees: number): number {
  const squared = ((degrees * 3.141_592_653_59) / 180) ** 2;
  return 1 - squared / 2 + (squared * squared) / 24 - (squared * squared * squared) / 720;
}

function wrapped(lon: number): number {
  if (lon > 180) return lon - 360;
  return lon < -180 ? lon + 360 : lon;
}
