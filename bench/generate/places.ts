import { Random } from '../random.ts';
import { placeName } from './place-name.ts';

/** An invented waypoint. Coordinates have six decimals, so that text and number are the same position. */
export interface InventedPlace {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Metres. */
  readonly ele: number;
  /** ms since 1970, a whole second. */
  readonly time: number;
  readonly desc: string;
}

/** How many places, and of which world; the same options give the same places, and fewer are a prefix of more. */
export interface PlaceOptions {
  readonly seed: number;
  readonly count: number;
  /** Has the same places say other things. */
  readonly visit?: number;
}

interface Town {
  readonly lat: number;
  readonly lon: number;
  /** Degrees from the middle to the farthest places. */
  readonly reach: number;
}

const townCount = 600;
const firstTime = Date.UTC(2008, 0, 1);
const twelveYearsS = 12 * 365 * 86_400;
const words =
  'quiet cold spring below the old mill good view over valley bus stops here in summer closed on mondays steep path'.split(
    ' ',
  );

/** Invents places crowded into towns, few large and many small, as maps of real people have them. */
export function* places({ seed, count }: PlaceOptions): Generator<InventedPlace> {
  const random = new Random(seed);
  const towns = Array.from({ length: townCount }, () => inventTown(random));
  for (let i = 0; i < count; i += 1) {
    // Squaring crowds the first towns: the largest has about a twenty-fifth of all places.
    const town = towns[Math.floor(random.unit() ** 2 * townCount)]!;
    yield {
      name: placeName(random),
      lat: sixDecimals(town.lat + random.bell() * random.unit() * town.reach),
      lon: sixDecimals(town.lon + random.bell() * random.unit() * town.reach * 1.5),
      ele: Math.round(random.unit() ** 2 * 30_000) / 10,
      time: firstTime + 1_000 * random.below(twelveYearsS),
      desc: note(random),
    };
  }
}

/** Makes a file of waypoints with elevation, time, name and note: about 200 bytes each. */
export function* placeGpx(options: PlaceOptions): Generator<string> {
  const { visit = 0 } = options;
  yield `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="waypointd bench" xmlns="http://www.topografix.com/GPX/1/1">
`;
  for (const { name, lat, lon, ele, time, desc } of places(options)) {
    yield ` <wpt lat="${lat.toFixed(6)}" lon="${lon.toFixed(6)}">
  <ele>${ele.toFixed(1)}</ele>
  <time>${new Date(time + visit * 1_000).toISOString().slice(0, 19)}Z</time>
  <name>${name.replace('&', '&amp;')}</name>
  <desc>${desc}${visit === 0 ? '' : `, visit ${visit}`}</desc>
 </wpt>
`;
  }
  yield '</gpx>\n';
}

function inventTown(random: Random): Town {
  return {
    lat: random.between(-50, 65),
    lon: random.between(-175, 175),
    reach: random.between(0.02, 0.4),
  };
}

function note(random: Random): string {
  const length = 4 + random.below(12);
  return Array.from({ length }, () => random.pick(words)).join(' ');
}

function sixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
