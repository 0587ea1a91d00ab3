import { Random } from '../random.ts';
import { walk, type WalkPoint } from './walk.ts';

/** Options of a track file; the same options give the same bytes. */
export interface TrackOptions {
  readonly seed: number;
  readonly points: number;
}

const head = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="waypointd bench" xmlns="http://www.topografix.com/GPX/1/1">
`;

/** Makes a track file as most programs write one: about 115 bytes a point with elevation and time. */
export function* trackGpx({ seed, points }: TrackOptions): Generator<string> {
  yield `${head} <trk>\n  <name>Track ${seed}</name>\n`;
  let isOpen = false;
  for (const point of walk(new Random(seed), points)) {
    if (point.startsSegment) {
      yield isOpen ? '  </trkseg>\n  <trkseg>\n' : '  <trkseg>\n';
      isOpen = true;
    }
    yield plainPoint(point);
  }
  yield `${isOpen ? '  </trkseg>\n' : ''} </trk>\n</gpx>\n`;
}

function plainPoint({ lat, lon, ele, time }: WalkPoint): string {
  return `   <trkpt lat="${lat.toFixed(7)}" lon="${lon.toFixed(7)}">
    <ele>${ele.toFixed(1)}</ele>
    <time>${isoSecond(time)}</time>
   </trkpt>
`;
}

/**
 * Makes a track file as Garmin's service exports one: coordinates and elevations with all the digits of a binary fraction,
 * milliseconds, temperature, heart rate and cadence in nested extensions, six levels deep. About 420 bytes a point.
 */
export function* garminTrackGpx({ seed, points }: TrackOptions): Generator<string> {
  const random = new Random(seed);
  yield `<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="waypointd bench" version="1.1"
  xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/11.xsd"
  xmlns:ns3="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"
  xmlns="http://www.topografix.com/GPX/1/1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <trk>
    <name>Ride ${seed}</name>
    <trkseg>
`;
  for (const { lat, lon, ele, time } of walk(random, points)) {
    yield `      <trkpt lat="${allDigits(semicircles(lat))}" lon="${allDigits(semicircles(lon))}">
        <ele>${allDigits(Math.fround(Math.round(ele * 5) / 5))}</ele>
        <time>${new Date(time).toISOString()}</time>
        <extensions>
          <ns3:TrackPointExtension>
            <ns3:atemp>${10 + random.below(20)}.0</ns3:atemp>
            <ns3:hr>${90 + random.below(60)}</ns3:hr>
            <ns3:cad>${random.below(100)}</ns3:cad>
          </ns3:TrackPointExtension>
        </extensions>
      </trkpt>
`;
  }
  yield '    </trkseg>\n  </trk>\n</gpx>\n';
}

/** Degrees as a receiver stores them, in steps of 180 / 2^31. */
function semicircles(degrees: number): number {
  return (Math.round((degrees / 180) * 2 ** 31) * 180) / 2 ** 31;
}

function allDigits(value: number): string {
  // oxlint-disable-next-line oxc/number-arg-out-of-range -- 100 is the limit since ES2018
  return value.toFixed(40).replace(/\.?0+$/, '');
}

function isoSecond(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
