import type { Buffer } from 'node:buffer';
import { FitWriter, semicircles } from '../../fixtures/fit-writer.ts';
import { Random } from '../random.ts';
import type { TrackOptions } from './track.ts';
import { walk, type WalkPoint } from './walk.ts';

/** Text before the points, of each, between two, and behind them. */
interface TextForm {
  readonly head: string;
  readonly point: (point: WalkPoint) => string;
  readonly between: string;
  readonly tail: string;
}

const iso = (time: number): string => new Date(time).toISOString();
const degrees = (value: number): string => value.toFixed(7);

/** Records.json as Google writes it, half of what it says about activities; all in one line, the worst that it can be. */
const google: TextForm = {
  head: '{"locations": [',
  point: ({ lat, lon, time }) =>
    `{"latitudeE7": ${Math.round(lat * 1e7)},"longitudeE7": ${Math.round(lon * 1e7)},"accuracy": 12,"activity": [{"activity": [{"type": "STILL","confidence": 100}],"timestamp": "${iso(time)}"}],"source": "WIFI","deviceTag": 123456789,"timestamp": "${iso(time)}"}`,
  between: ', ',
  tail: ']}',
};

const owntracks: TextForm = {
  head: '',
  point: ({ lat, lon, ele, time }) =>
    `${iso(time)}\t*                 \t{"_type":"location","tid":"RO","topic":"owntracks/me/phone","alt":${Math.round(ele)},"lon":${degrees(lon)},"vel":5,"t":"p","batt":94,"conn":"w","vac":4,"acc":10,"tst":${time / 1_000},"lat":${degrees(lat)}}\n`,
  between: '',
  tail: '',
};

const tcx: TextForm = {
  head: '<?xml version="1.0" encoding="UTF-8"?>\n<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity Sport="Running"><Id>0</Id><Lap><Track>\n',
  point: ({ lat, lon, ele, time }) => `          <Trackpoint>
            <Time>${iso(time)}</Time>
            <Position>
              <LatitudeDegrees>${lat}</LatitudeDegrees>
              <LongitudeDegrees>${lon}</LongitudeDegrees>
            </Position>
            <AltitudeMeters>${ele}</AltitudeMeters>
            <HeartRateBpm>
              <Value>120</Value>
            </HeartRateBpm>
          </Trackpoint>
`,
  between: '',
  tail: '</Track></Lap></Activity></Activities></TrainingCenterDatabase>\n',
};

const kml: TextForm = {
  head: '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track>\n',
  point: ({ lat, lon, ele, time }) =>
    `<when>${iso(time)}</when>\n<gx:coord>${degrees(lon)} ${degrees(lat)} ${ele.toFixed(1)}</gx:coord>\n`,
  between: '',
  tail: '</gx:Track></Placemark></kml>\n',
};

const geojson: TextForm = {
  head: '{"type":"FeatureCollection","features":[\n',
  point: ({ lat, lon, ele, time }) =>
    `{"type":"Feature","properties":{"time":"${iso(time)}"},"geometry":{"type":"Point","coordinates":[${degrees(lon)},${degrees(lat)},${ele.toFixed(1)}]}}`,
  between: ',\n',
  tail: '\n]}\n',
};

const csv: TextForm = {
  head: 'time,lat,lon,ele\n',
  point: ({ lat, lon, ele, time }) =>
    `${iso(time)},${degrees(lat)},${degrees(lon)},${ele.toFixed(1)}\n`,
  between: '',
  tail: '',
};

/** RMC, which has the date, and GGA, which has the height. */
const nmea: TextForm = {
  head: '',
  point({ lat, lon, ele, time }) {
    const at = iso(time);
    const clock = at.slice(11, 19).replaceAll(':', '');
    const place = `${minutes(lat, 2)},${lat < 0 ? 'S' : 'N'},${minutes(lon, 3)},${lon < 0 ? 'W' : 'E'}`;
    const date = at.slice(8, 10) + at.slice(5, 7) + at.slice(2, 4);
    return (
      sentence(`GPRMC,${clock},A,${place},2.5,90.0,${date},,`) +
      sentence(`GPGGA,${clock},${place},1,08,0.9,${ele.toFixed(1)},M,46.9,M,,`)
    );
  },
  between: '',
  tail: '',
};

function minutes(angle: number, digits: number): string {
  const whole = Math.floor(Math.abs(angle));
  const rest = ((Math.abs(angle) - whole) * 60).toFixed(5).padStart(8, '0');
  return String(whole).padStart(digits, '0') + rest;
}

function sentence(text: string): string {
  let sum = 0;
  for (const char of text) sum ^= char.charCodeAt(0);
  return `$${text}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
}

/** Formats of text, by the names of their files. */
export const textRecordings = {
  'Records.json': google,
  'log.rec': owntracks,
  'run.tcx': tcx,
  'track.kml': kml,
  'points.geojson': geojson,
  'log.csv': csv,
  'log.nmea': nmea,
} as const;

/** Makes a recording; its points are those of {@link walk} for the same options. */
export function* recording(form: TextForm, { seed, points }: TrackOptions): Generator<string> {
  yield form.head;
  let between = '';
  for (const point of walk(new Random(seed), points)) {
    yield between + form.point(point);
    between = form.between;
  }
  yield form.tail;
}

/** The same as a FIT file of a watch: position, height, heart rate, cadence, distance and speed, 20 bytes a point. */
export function fitRecording({ seed, points }: TrackOptions): Buffer {
  const writer = new FitWriter();
  const sizes: [number, number][] = [
    [253, 4],
    [0, 4],
    [1, 4],
    [2, 2],
    [3, 1],
    [4, 1],
    [5, 4],
    [6, 2],
  ];
  writer.define(0, 20, sizes);
  for (const { lat, lon, ele, time } of walk(new Random(seed), points)) {
    const seconds = Math.floor(time / 1_000) - 631_065_600;
    const altitude = Math.round((ele + 500) * 5);
    writer.data(0, [seconds, semicircles(lat), semicircles(lon), altitude, 120, 80, 1_000, 2_500]);
  }
  return writer.file();
}
