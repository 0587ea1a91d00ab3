/** What readGpx hands to its sink, its limits, and how it ends when something goes wrong. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { readGpx, type ReadGpxOptions } from '../formats/gpx/read-gpx.ts';
import { FileRefused, ReadingCancelled } from '../formats/refused.ts';
import {
  nullSink,
  type RecordedWaypoint,
  type RecordingSink,
  type RecordingSummary,
} from '../model/recording.ts';
import { rowsOf, valuesOf } from './helpers/fields.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const folder = path.resolve(import.meta.dirname, '../fixtures/gpx');
const megabyte = 1_048_576;

interface Reading {
  readonly waypoints: RecordedWaypoint[];
  readonly trackPoints: number[][];
  readonly summary: RecordingSummary;
}

function read(source: string | Iterable<Uint8Array>, options?: ReadGpxOptions): Reading {
  const waypoints: RecordedWaypoint[] = [];
  const trackPoints: number[][] = [];
  const sink: RecordingSink = {
    ...nullSink,
    waypoint: (waypoint) => void waypoints.push(waypoint),
    trackPoint(lat, lon, ele, timeMs) {
      if (!Number.isNaN(timeMs)) trackPoints.push([lat, lon, ele, timeMs]);
    },
  };
  return {
    summary: readGpx(typeof source === 'string' ? [readFileSync(source)] : source, sink, options),
    waypoints,
    trackPoints,
  };
}

function readText(text: string): Reading {
  return read([Buffer.from(text)]);
}

function readFixture(file: string): Reading {
  return read(path.join(folder, file));
}

/** The word with which the document is refused; anything else thrown is an error. */
function refusal(text: string | Uint8Array): string {
  try {
    read([typeof text === 'string' ? Buffer.from(text) : text]);
    return 'read';
  } catch (error) {
    if (error instanceof FileRefused) return error.reason;
    throw error;
  }
}

function inGpx(body: string): string {
  return `<gpx>${body}</gpx>`;
}

function inName(text: string): string {
  return inGpx(`<wpt lat="1" lon="2"><name>${text}</name></wpt>`);
}

test('a waypoint and track points arrive with all they have', (t) => {
  const { waypoints, trackPoints } = readFixture('version-1.1.gpx');
  const timeMs = Date.UTC(2024, 4, 1, 9);
  const ribeira = { name: 'Ribeira', lat: 41.1405, lon: -8.611, desc: 'By the river', tags: [] };
  t.deepEqual(waypoints, [{ ...ribeira, ele: 12, timeMs }]);
  t.deepEqual(trackPoints, [
    [41.1496, -8.611, 75.5, Date.UTC(2024, 4, 1, 8)],
    [41.15, -8.61, 76, Date.UTC(2024, 4, 1, 8, 0, 10)],
  ]);
});

test('encodings are known by each of their usual names', (t) => {
  const names = {
    utf8: 'utf8',
    latin1: 'ISO-8859-1 iso8859-1 latin1 windows-1252 CP1252',
  } as const;
  for (const [encoding, declared] of Object.entries(names)) {
    for (const name of declared.split(' ')) {
      const text = `<?xml version="1.0" encoding="${name}"?>${inName('Café')}`;
      const { waypoints } = read([Buffer.from(text, encoding as BufferEncoding)]);
      t.is(waypoints[0]?.name, 'Café', name);
    }
  }
  t.is(refusal(`<?xml version="1.0" encoding="ASCII"?>${inName('Café')}`), 'encoding');
});

test('what a waypoint lacks is left out, a track point without elevation has NaN', (t) => {
  const { waypoints } = readText(inGpx('<wpt lat="1" lon="2"><desc> </desc><ele>high</ele></wpt>'));
  t.deepEqual(waypoints, [{ name: 'Waypoint 1', lat: 1, lon: 2, tags: [] }]);
  const point = '<trkpt lat="1" lon="2"><time>1970-01-01T00:00:01Z</time></trkpt>';
  const { trackPoints } = readText(inGpx(`<trk><trkseg>${point}</trkseg></trk>`));
  t.deepEqual(trackPoints, [[1, 2, Number.NaN, 1000]]);
});

test('tags of our own mirror are read, cleaned, without empty ones', (t) => {
  const { waypoints } = readFixture('extensions-with-our-tags.gpx');
  t.deepEqual(valuesOf(waypoints, 'tags'), [['home', 'café', 'a<b'], []]);
  const [long] = readText(
    inGpx(
      `<wpt lat="1" lon="2"><extensions><tags><tag>${'x'.repeat(200)}</tag></tags></extensions></wpt>`,
    ),
  ).waypoints;
  t.is(long?.tags[0]?.length, 128);
});

test('a note is cut at 8,192 code points and keeps text around CDATA', (t) => {
  t.is(readFixture('names-too-long.gpx').waypoints[0]?.desc?.length, 8192);
  t.is(readFixture('cdata.gpx').waypoints[0]?.desc, 'a & &amp; b');
});

test('a name cut within blanks is trimmed again', (t) => {
  const [waypoint] = readText(inName(`${'x'.repeat(511)}  y`)).waypoints;
  t.is(waypoint?.name, 'x'.repeat(511));
});

test('minus zero is zero', (t) => {
  for (const { lat, lon } of readFixture('minus-zero.gpx').waypoints) {
    t.true(Object.is(lat, 0) && Object.is(lon, 0));
  }
});

test('coordinates keep their digits, in every syntax of a number', (t) => {
  const places = readFixture('exponent-coordinates.gpx').waypoints;
  t.deepEqual(rowsOf(places, 'lat', 'lon'), [
    [41.1, -8.6],
    [1e-7, 50],
    [41, -8.6],
    [41.1, -8.6],
  ]);
});

test('coordinates of more digits than a number holds are the number nearest to them', (t) => {
  const middle = '46.576083330437544560709284269250929355621337890625';
  const long = [
    '46.57608333043754100799560546875',
    middle,
    `${middle}1`,
    `0.0000000${'1'.repeat(40)}`,
  ];
  const points = long.map((lat) => `<wpt lat="${lat}" lon="-${lat}"></wpt>`).join('');
  t.deepEqual(
    rowsOf(readText(inGpx(points)).waypoints, 'lat', 'lon'),
    long.map((lat) => [Number(lat), -Number(lat)]),
  );
  t.not(Number(middle), Number(`${middle}1`));
});

test('all forms of time say the same instant', (t) => {
  const times = readFixture('times.gpx').trackPoints.map(([, , , timeMs]) => timeMs);
  const eight = Date.UTC(2024, 4, 1, 8);
  const midnight = Date.UTC(2024, 4, 1);
  const wanted = [
    [eight, eight, eight, eight, eight + 100, eight + 123, eight + 250],
    [midnight, midnight, eight, Date.UTC(2017, 0, 1), Date.UTC(2024, 1, 29, 12)],
    [eight + 1000, 0, -500, Date.parse('0099-01-01T00:00:00Z')],
  ];
  t.deepEqual(times, wanted.flat());
});

test('elevations may be negative or have an exponent', (t) => {
  const { waypoints } = readFixture('elevations.gpx');
  t.deepEqual(valuesOf(waypoints, 'ele'), [-10_994, undefined, 1500]);
});

test('prefixes bound to the namespace of the root are its own, however its name is written', (t) => {
  const inside = '<a:wpt lat="1" lon="2"/><b:wpt lat="3" lon="4"/><wpt lat="5" lon="6"/>';
  const bindings = `xmlns="urn:g x"\n xmlns:a = 'urn:&#x67;\r\nx' x="xmlns:b='urn:g x'" xmlns:b='urn:g'`;
  t.is(readText(`<gpx ${bindings}>${inside}</gpx>`).summary.waypoints, 2);
});

test('a default namespace other than that of a prefixed root is foreign', (t) => {
  const inside = '<g:wpt lat="1" lon="2"/><wpt lat="3" lon="4"/>';
  const foreign = `<g:gpx xmlns:g="urn:g" xmlns="urn:other">${inside}</g:gpx>`;
  t.is(readText(foreign).summary.waypoints, 1);
  // Not bound at all, it can be meant for nothing else.
  t.is(readText(`<g:gpx xmlns:g="urn:g">${inside}</g:gpx>`).summary.waypoints, 2);
});

test('a text counts the same wherever references, CDATA and comments cut it', (t) => {
  const cut = 'a&#98;<![CDATA[c]]]]><![CDATA[>d]]><!-- x --><?y?>e<b>no</b>f';
  t.is(readText(inName(cut)).waypoints[0]?.name, 'abc]]>def');
});

test('a line end in CDATA is one line feed wherever pieces cut it', (t) => {
  const note = '<![CDATA[a\r\nb\r\rc]\r\n]]>';
  const bytes = Buffer.from(inGpx(`<wpt lat="1" lon="2"><desc>${note}</desc></wpt>`));
  for (let at = 0; at < bytes.length; at += 1) {
    const { waypoints } = read([bytes.subarray(0, at), bytes.subarray(at)], { path: 'plain' });
    t.is(waypoints[0]?.desc, 'a\nb\n\nc]', String(at));
  }
});

test('a start tag of 1 Mi characters is read, one more is too_large', (t) => {
  function withTag(length: number): string {
    return inGpx(`<metadata n="${'x'.repeat(length - '<metadata n=""/>'.length)}"/>`);
  }
  t.is(refusal(withTag(megabyte)), 'read');
  t.is(refusal(withTag(megabyte + 1)), 'too_large');
  t.is(refusal(`<gpx n="${'x'.repeat(3 * megabyte)}`), 'too_large');
});

test('a point with 1 Mi characters in its texts is read, with more it is too_large', (t) => {
  t.is(refusal(inName('x'.repeat(megabyte - 16))), 'read');
  t.is(refusal(inName('x'.repeat(megabyte - 16 + 1))), 'too_large');
  t.is(refusal(inName(`<![CDATA[${'x'.repeat(3 * megabyte)}]]>`)), 'too_large');
});

test('what is passed over may be of any length', (t) => {
  const long = '- ]'.repeat(megabyte / 2);
  const noise = `<!--${long}--><?x ${long}?><extensions>${long}<![CDATA[${long}]]></extensions>`;
  const { waypoints } = readText(
    `<!--${long}-->${inGpx(`${noise}<wpt lat="1" lon="2">${noise}<name>A</name></wpt>`)}${' '.repeat(3 * megabyte)}`,
  );
  t.is(waypoints[0]?.name, 'A');
});

test('a name of an element may have 1,023 characters, one more is too_large', (t) => {
  t.is(refusal(inGpx(`<${'x'.repeat(1023)}/>`)), 'read');
  t.is(refusal(inGpx(`<${'x'.repeat(1024)}/>`)), 'too_large');
});

const segment = '<gpx><trk><trkseg>';
const opening = '<trkpt lat="1" lon="2">';
const lateFault = `<wpt lat="1" lon="2"><!--${' - '.repeat(200)}--><?x?></wpt>`;

// Quadratic work would take minutes for each of these; a second is 50 times what they take.
const hostile: readonly [what: string, text: string, word: string][] = [
  ['unclosed tags', '<gpx>'.padEnd(2 * megabyte, '<'), 'not_xml'],
  ['an unclosed comment', '<gpx><!--'.padEnd(2 * megabyte, '- '), 'truncated'],
  ['an unclosed CDATA section', '<gpx><![CDATA['.padEnd(2 * megabyte, ']'), 'truncated'],
  ['an unclosed instruction', '<?a '.padEnd(2 * megabyte, '? '), 'truncated'],
  ['an unclosed attribute', '<gpx a="'.padEnd(2 * megabyte, '>'), 'too_large'],
  ['blanks in a tag', '<gpx'.padEnd(2 * megabyte, ' '), 'too_large'],
  ['blanks in an end tag', '<gpx></gpx'.padEnd(2 * megabyte, ' '), 'too_large'],
  ['a tag name without end', '<gpx><'.padEnd(2 * megabyte, 'a'), 'too_large'],
  ['many attributes', `<gpx ${attributes(60_000)}/>`, 'read'],
  ['many equal attributes', `<gpx${' a="1"'.repeat(170_000)}/>`, 'not_xml'],
  ['many references', inName('&amp;'.repeat(200_000)), 'read'],
  ['many unfinished references', inName('&amp'.repeat(200_000)), 'not_xml'],
  ['a reference without end', '<gpx>&'.padEnd(2 * megabyte, 'a'), 'not_xml'],
  ['a number without end', '<gpx>&#'.padEnd(2 * megabyte, '0'), 'not_xml'],
  ['brackets', '<gpx>'.padEnd(2 * megabyte, ']') + '</gpx>', 'read'],
  ['a document type without end', '<!DOCTYPE gpx '.padEnd(2 * megabyte, '"" '), 'not_xml'],
  ['a declaration without end', '<?xml version="1.0" '.padEnd(2 * megabyte, ' '), 'not_xml'],
  ['digits as a coordinate', inGpx(`<wpt lat="${'1'.repeat(megabyte - 99)}e" lon="2"/>`), 'read'],
  [
    'blanks around a coordinate',
    inGpx(`<wpt lat="1${' '.repeat(megabyte - 99)}2" lon="2"/>`),
    'read',
  ],
  ['many small CDATA sections', inName('<![CDATA[x]]>'.repeat(70_000)), 'read'],
  ['many empty points', inGpx('<wpt/>'.repeat(100_000)), 'read'],
  ['leaves that are never closed', segment + `${opening}<ele>`.repeat(10_000), 'too_deep'],
  [
    'points within a point',
    `${segment}${opening}${`${opening}</trkpt>`.repeat(10_000)}`,
    'truncated',
  ],
  ['starts of points in a comment', `${segment}<!--${'<trkpt '.repeat(30_000)}`, 'truncated'],
  ['starts of points as nothing else', segment + '<trkpt '.repeat(30_000), 'not_xml'],
  [
    'points with an attribute too many',
    segment + `<trkpt ${attributes(17)}/>`.repeat(600),
    'truncated',
  ],
  [
    'a good point and a bad one in turn',
    segment + '<trkpt lat="1" lon="2"/><g:trkpt/><trkpt><?x?></trkpt>'.repeat(6_000),
    'truncated',
  ],
  ['comments in points, never closed', segment + `${opening}<!-- `.repeat(6_000), 'truncated'],
  [
    'sections in points, never closed',
    segment + `${opening}<ele><![CDATA[ ]] `.repeat(6_000),
    'truncated',
  ],
  ['points with a fault after a comment', `<gpx>${lateFault.repeat(400)}`, 'truncated'],
  ['empty children', `${segment}${opening}${'<a/>'.repeat(50_000)}`, 'truncated'],
];

function attributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}=""`).join(' ');
}

for (const [what, text, word] of hostile) {
  test(`hostile: ${what}, in linear time`, (t) => {
    const before = process.threadCpuUsage();
    t.is(refusal(text), word);
    const { user, system } = process.threadCpuUsage(before);
    // Quadratic time would be minutes. CPU time: other work on the machine would stretch wall time.
    t.true((user + system) / 1_000 < 5_000);
  });
}

test('hostile: a long attribute that comes byte by byte', (t) => {
  function* bytes(): Generator<Uint8Array> {
    yield Buffer.from('<gpx a="');
    for (let count = 0; count < 200_000; count += 1) yield Buffer.from('x');
    yield Buffer.from('"/>');
  }
  t.is(read(bytes()).summary.waypoints, 0);
});

test('a file of one byte over and over is refused where it begins, whatever the byte', (t) => {
  for (let byte = 0; byte < 256; byte += 1) {
    if (' \t\r\n'.includes(String.fromCodePoint(byte))) continue;
    let blocks = 0;
    function* source(): Generator<Uint8Array> {
      for (; blocks < 64; blocks += 1) yield Buffer.alloc(65_536, byte);
    }
    t.throws(() => read(source()), { instanceOf: FileRefused });
    t.is(blocks, 0, `byte ${byte}`);
  }
});

test('bytes are told as they are read, up to the size of the file', (t) => {
  const file = path.join(folder, 'long-attribute.gpx');
  const sizes: number[] = [];
  read(file, { onBytes: (bytes) => void sizes.push(bytes) });
  t.true(sizes.length > 1);
  t.is(
    sizes.reduce((sum, size) => sum + size, 0),
    readFileSync(file).length,
  );
});

test('a cancelled reading ends at the next piece', (t) => {
  const text = inGpx('<wpt lat="1" lon="2"/>'.repeat(20_000));
  let asked = 0;
  let waypoints = 0;
  const sink: RecordingSink = { ...nullSink, waypoint: () => void (waypoints += 1) };
  const isCancelled = (): boolean => (asked += 1) > 2;
  t.throws(() => readGpx([Buffer.from(text)], sink, { isCancelled }), {
    instanceOf: ReadingCancelled,
  });
  t.true(waypoints > 0 && waypoints < 20_000);
});

test('errors of the sink and of the source pass unchanged', (t) => {
  const failure = new Error('disk full');
  const sink: RecordingSink = {
    ...nullSink,
    waypoint: () => {
      throw failure;
    },
  };
  t.is(
    t.throws(() => readGpx([Buffer.from(inName('A'))], sink)),
    failure,
  );
  function* broken(): Generator<Uint8Array> {
    yield Buffer.from('<gpx>');
    throw failure;
  }
  t.is(
    t.throws(() => read(broken())),
    failure,
  );
});

test('a refused source is closed', (t) => {
  let isClosed = false;
  function* source(): Generator<Uint8Array> {
    try {
      yield Buffer.from('nothing of ours');
      yield Buffer.from('never asked for');
    } finally {
      isClosed = true;
    }
  }
  t.throws(() => read(source()), { instanceOf: FileRefused });
  t.true(isClosed);
});

test('a refusal says nothing of the content or the path', (t) => {
  const file = path.join(temporaryDirectory(t), 'secret-place.gpx');
  writeFileSync(file, inName('secret & place'));
  const error = t.throws(() => read(file), { instanceOf: FileRefused });
  t.is(error?.message, 'The file cannot be imported: not_xml.');
  t.is(error?.cause, undefined);
});
