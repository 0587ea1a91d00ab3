/** Laws of the GPX reader over generated documents: what is written is read, whatever the style, the pieces, the damage. */
import test from 'ava';
import fc from 'fast-check';
import { readGpx } from '../formats/gpx/read-gpx.ts';
import { FileRefused } from '../formats/refused.ts';
import { nullSink } from '../model/recording.ts';
import { rounds } from './helpers/effort.ts';

/** What the sink is given, as one list in order of waypoints and of track points. */
interface Heard {
  readonly waypoints: object[];
  readonly trackPoints: object[];
  readonly counts: {
    waypoints: number;
    observations: number;
    missing: number;
    invalid: number;
    unusable: number;
  };
}

function hear(source: Iterable<Uint8Array>): Heard {
  const waypoints: object[] = [];
  const trackPoints: object[] = [];
  const summary = readGpx(source, {
    ...nullSink,
    waypoint: (waypoint) => void waypoints.push(waypoint),
    trackPoint(lat, lon, ele, timeMs) {
      if (!Number.isNaN(timeMs)) trackPoints.push({ lat, lon, ele, timeMs });
    },
  });
  const { waypoints: found, observations, missingTimes, invalidTimes, unusablePoints } = summary;
  return {
    waypoints,
    trackPoints,
    counts: {
      waypoints: found,
      observations,
      missing: missingTimes,
      invalid: invalidTimes,
      unusable: unusablePoints,
    },
  };
}

interface Point {
  readonly isWaypoint: boolean;
  readonly lat: number;
  readonly lon: number;
  readonly ele: number | undefined;
  readonly timeMs: number | undefined;
  /** What stands in the place of a time that is undefined; undefined = no element. */
  readonly badTime: string | undefined;
  readonly name: string;
  readonly isUsable: boolean;
}

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Array.from('abcXYZ 019-<>&"\']')) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('é', 'e\u0301', 'ß', '名', '🧭', '\u{1F469}\u200D', '\u0130'),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 0xa0, max: 0x10ffff })
      .filter((code) => (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff)
      .map((code) => String.fromCodePoint(code)),
  },
);

const point: fc.Arbitrary<Point> = fc.record({
  isWaypoint: fc.boolean(),
  lat: fc.integer({ min: -900_000_000, max: 900_000_000 }).map((value) => value / 1e7),
  lon: fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }).map((value) => value / 1e7),
  ele: fc.option(
    fc.integer({ min: -5000, max: 90_000 }).map((value) => value / 10),
    { nil: undefined },
  ),
  timeMs: fc.option(fc.integer({ min: -2e12, max: 4e12 }), { nil: undefined }),
  badTime: fc.constantFrom(undefined, '', ' ', 'yesterday', '2023-02-29T00:00:00Z'),
  name: fc.array(character, { maxLength: 12 }).map((characters) => characters.join('')),
  isUsable: fc.integer({ min: 0, max: 9 }).map((value) => value > 0),
});

/** Numbers that choose one of several equal ways to write something, over and over. */
type Style = () => number;

function styleOf(choices: readonly number[]): Style {
  let at = 0;
  return () => choices[(at += 1) % choices.length] ?? 0;
}

function pick<T>(style: Style, ...ways: readonly [T, ...T[]]): T {
  return ways[style() % ways.length] ?? ways[0];
}

function blank(style: Style): string {
  return pick(style, '', ' ', '\n', '\r\n\t');
}

function writeText(text: string, style: Style): string {
  return Array.from(text, (char) => writeCharacter(char, style)).join('');
}

function writeCharacter(char: string, style: Style): string {
  const code = char.codePointAt(0) ?? 0;
  const isMarkup = '<>&"\']'.includes(char);
  return pick(
    style,
    isMarkup ? `&#${code};` : char,
    isMarkup ? `<![CDATA[${char}]]>` : char,
    `&#x${code.toString(16)};`,
    `<!--${char === '-' ? '' : char}-->${isMarkup ? `&#0${code};` : char}`,
  );
}

function writeNumber(value: number, style: Style): string {
  const scaled = Math.round(value * 1e7);
  return pick(
    style,
    String(value),
    ` ${value} `,
    `${scaled}e-7`,
    value < 0 ? String(value) : `+${value}`,
  );
}

function writeElement(name: string, content: string, prefix: string, style: Style): string {
  const space = blank(style);
  return `<${prefix}${name}${space}>${content}</${prefix}${name}${space}>${blank(style)}`;
}

const noise = [
  '<!-- <wpt lat="1" lon="2"/> -->',
  '<?noise "?>',
  '<extensions><wpt lat="1" lon="2"/><trkpt lat="1" lon="2"/></extensions>',
  '<other:wpt lat="1" lon="2"><name>x</name></other:wpt>',
] as const;

function writePoint(item: Point, prefix: string, style: Style): string {
  const quote = pick(style, '"', "'");
  const lat = `lat${blank(style)}=${quote}${writeNumber(item.isUsable ? item.lat : 90.5, style)}${quote}`;
  const lon = `lon=${blank(style)}${quote}${writeNumber(item.lon, style)}${quote}`;
  const time = item.timeMs === undefined ? item.badTime : new Date(item.timeMs).toISOString();
  const parts = [
    item.ele === undefined ? '' : writeElement('ele', String(item.ele), prefix, style),
    time === undefined ? '' : writeElement('time', pick(style, time, ` ${time}\n`), prefix, style),
    item.name === '' ? '' : writeElement('name', writeText(item.name, style), prefix, style),
    pick(style, '', ...noise),
  ];
  const content = style() % 2 === 0 ? parts.join('') : parts.toReversed().join(blank(style));
  const element = `${prefix}${item.isWaypoint ? 'wpt' : 'trkpt'}`;
  const start = style() % 2 === 0 ? `${lat} ${lon}` : `${lon}\n${lat}`;
  return `<${element} ${start}>${content}</${element}>`;
}

function writeDocument(points: readonly Point[], choices: readonly number[]): string {
  const style = styleOf(choices);
  const prefix = pick(style, '', 'g:');
  const namespace = pick(style, '', ` xmlns${prefix === '' ? '' : ':g'}="urn:x"`);
  const body = points.map((item) => {
    const text = writePoint(item, prefix, style) + pick(style, '', '\n', ...noise);
    return item.isWaypoint
      ? text
      : `<${prefix}trk><${prefix}trkseg>${text}</${prefix}trkseg></${prefix}trk>`;
  });
  const prolog = pick(style, '', '<?xml version="1.0"?>\n', '<!DOCTYPE gpx>', '<!-- x -->');
  return `${prolog}<${prefix}gpx${namespace}>${body.join(blank(style))}</${prefix}gpx>${blank(style)}`;
}

function expectedOf(points: readonly Point[]): Heard {
  const usable = points.filter((item) => item.isUsable);
  const timed = usable.filter((item) => item.timeMs !== undefined);
  const invalid = usable.filter(
    ({ timeMs, badTime = '' }) => timeMs === undefined && badTime.trim() !== '',
  );
  const allWaypoints = points.filter((item) => item.isWaypoint);
  const waypoints = allWaypoints
    .map((item, index) => ({ item, index }))
    .filter(({ item }) => item.isUsable)
    .map(({ item: { lat, lon, ele, timeMs, name }, index }) => ({
      lat: lat + 0,
      lon: lon + 0,
      ...(ele === undefined ? {} : { ele: ele + 0 }),
      ...(timeMs === undefined ? {} : { timeMs }),
      name: name.trim().normalize('NFC') || `Waypoint ${index + 1}`,
      tags: [],
    }));
  const trackPoints = timed
    .filter((item) => !item.isWaypoint)
    .map(({ lat, lon, ele, timeMs }) => ({
      lat: lat + 0,
      lon: lon + 0,
      ele: (ele ?? Number.NaN) + 0,
      timeMs,
    }));
  return {
    waypoints,
    trackPoints,
    counts: {
      waypoints: waypoints.length,
      observations: timed.length,
      missing: usable.length - timed.length - invalid.length,
      invalid: invalid.length,
      unusable: points.length - usable.length,
    },
  };
}

const points = fc.array(point, { maxLength: 8 });
const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 });

function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const result: Uint8Array[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    result.push(bytes.subarray(at, at + size));
    at += size;
  }
  return result;
}

const pieceSizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });

test('every generated document is read as it was meant, in any pieces', (t) => {
  fc.assert(
    fc.property(points, choices, pieceSizes, (items, styles, sizes) => {
      const bytes = Buffer.from(writeDocument(items, styles));
      t.deepEqual(hear(pieces(bytes, sizes)), expectedOf(items));
    }),
    { numRuns: rounds(750) },
  );
});

test('every generated document is read from UTF-16, too', (t) => {
  fc.assert(
    fc.property(points, choices, pieceSizes, fc.boolean(), (items, styles, sizes, isSwapped) => {
      const bytes = Buffer.from(`\uFEFF${writeDocument(items, styles)}`, 'utf16le');
      if (isSwapped) bytes.swap16();
      t.deepEqual(hear(pieces(bytes, sizes)), expectedOf(items));
    }),
    { numRuns: rounds(150) },
  );
});

test('a document cut off anywhere is refused as truncated or empty, but for white space at its end', (t) => {
  fc.assert(
    fc.property(points, choices, fc.nat(), fc.boolean(), (items, styles, cut, isUtf16) => {
      const text = writeDocument(items, styles);
      const bytes = isUtf16 ? Buffer.from(`\uFEFF${text}`, 'utf16le') : Buffer.from(text);
      const encoded = isUtf16
        ? Buffer.from(`\uFEFF${text.trimEnd()}`, 'utf16le')
        : Buffer.from(text.trimEnd());
      const length = cut % bytes.length;
      const start = bytes.subarray(0, length);
      if (length >= encoded.length) {
        // Half a line end is no character.
        if (isUtf16 && length % 2 === 1) t.throws(() => hear([start]), { instanceOf: FileRefused });
        else t.deepEqual(hear([start]), expectedOf(items));
        return;
      }
      const error = t.throws(() => hear([start]), { instanceOf: FileRefused });
      t.true(error?.reason === 'truncated' || (error?.reason === 'empty' && length <= 3));
    }),
    { numRuns: rounds(750) },
  );
});
