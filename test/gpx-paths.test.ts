/** The short way of canonical points yields what the plain way yields, for any bytes, and takes linear work. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { journeyFiles } from '../fixtures/make-journey.ts';
import { readGpx, type ReadGpxOptions } from '../formats/gpx/read-gpx.ts';
import { FileRefused } from '../formats/refused.ts';
import { isTaken, rounds } from './helpers/effort.ts';
import { expectSame } from './helpers/expect-same.ts';

const folder = path.resolve(import.meta.dirname, '../fixtures/gpx');

/** All calls of the sink in order, and how it ended. */
function hear(source: Iterable<Uint8Array>, way: NonNullable<ReadGpxOptions['path']>): unknown[] {
  const heard: unknown[] = [];
  // What a line says about itself may come sooner or later, and only the order of their numbers is the same.
  const said = new Map<number, object>();
  const lines: number[] = [];
  const sink = {
    waypoint: (waypoint: object) => void heard.push(waypoint),
    line(kind: string, line: number) {
      heard.push([kind, lines.length]);
      lines.push(line);
    },
    segment: () => void heard.push('segment'),
    trackPoint: (...values: unknown[]) => void heard.push(values),
    routePoint: (...values: unknown[]) => void heard.push(values),
    lineTexts: (line: number, texts: object) => void said.set(line, texts),
  };
  try {
    heard.push(readGpx(source, sink, { path: way }));
    const inOrder = [...said].toSorted(([a], [b]) => a - b);
    heard.push(inOrder.map(([line, texts]) => [lines.indexOf(line), texts]));
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    // What a refused file yielded before is undone anyway.
    return [error.reason, error.line];
  }
  return heard;
}

function* pieces(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    // A copy that is overwritten afterwards: the reader must not keep it.
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    yield piece;
    piece.fill(0x58);
    at += size;
  }
}

const garmin = `<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:ns3="urn:t">
<trk><name>A</name><trkseg>
<trkpt lat="47.644548000767827148437500" lon="-122.326897000767827"><ele>4.4600000381469727</ele><time>2009-10-17T18:37:26.000Z</time>
<extensions><ns3:TrackPointExtension><ns3:hr>88</ns3:hr><ns3:cad/></ns3:TrackPointExtension></extensions></trkpt>
<trkpt lon='-0.0' lat='-90'><time>2009-10-17T18:37:31.25Z</time><ele>-12</ele><sat>7</sat></trkpt>
<trkpt lat="1e1" lon="+2"><ele> 7 </ele><time> 2009-10-17T18:37:31+01:00</time></trkpt>
<trkpt lat="91" lon="2"/><trkpt lat=".5" lon="5." ></trkpt >
</trkseg><trkseg><trkpt lat="1" lon="2"><ele>1</ele><ele>2</ele><time>2009-02-30T00:00:00Z</time></trkpt></trkseg></trk></gpx>
`;
const places = `<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="x" xmlns="urn:g" xmlns:g="urn:g" xmlns:o="urn:o">
 <wpt lat="41.1405" lon="-8.611">
  <ele>12.0</ele>
  <time>2024-05-01T09:00:00Z</time>
  <name>Praça da Ribeira &amp; mais &#9749;</name>
  <desc>By the "river" e\u0301\u00A0</desc>
  <link href="https://example.org/a?b"><text>T</text></link>
  <extensions><o:icon color='#fff'>x</o:icon></extensions>
 </wpt>
 <wpt lon="1.25" lat="2"><name></name><g:ele>3</g:ele></wpt>
 <wpt lat="3" lon="4"><name>\r\n A\r\nB</name><sym>é</sym><extensions><o:tags><tag>t</tag></o:tags></extensions></wpt>
 <wpt lat="3" lon="4"><name>]]</name><cmt>x\uFF08</cmt><desc>\u007F\u0085</desc></wpt><wpt lat="5" lon="6"/>
 <rte><name>R</name><rtept lat="1" lon="2"><ele>3</ele><time>2024-05-01T09:00:00Z</time></rtept><rtept lat="9"/></rte>
</gpx>
`;

const unusual = `<?xml version='1.0' encoding='utf-8' standalone='yes'?>
<gpx version='1.1' xmlns='urn:g' xmlns:x='urn:x'><!-- <x> é -- > --> <wpt x:a='1' lon = '7' lat="8"
/><wpt url="a?b&amp;>c" lat='1' lon='2' t="é"><name>a>\r\n<![CDATA[ <b>\r & ]]]]>c</name><desc><![CDATA[]]></desc><!----></wpt>
<trk><name><![CDATA[<trkpt lat="1" lon="2"/>]]></name><trkseg><!-- <trkpt lat="0" lon="0"/> -->
<trkpt lon='9.5' x:fix='3d' lat='8.5'>
 <ele>1<![CDATA[2]]>.5</ele><!-- ' --><time>2020-01-01T00:00:00Z</time><x:sat a='1' b="2">9<![CDATA[>]]><!-- --></x:sat></trkpt>
<trkpt lat = "8.25"	lon	="9" x:fix = "2d" ><!-- - --><ele>3</ele ><time><![CDATA[2020-01-01T00:00:01Z]]></time ></trkpt>
<trkpt lat="8" lon="9" x:lat="1" latitude='2'><ele>4&#46;5</ele><x:trkpt lat='9' lon='9'/><time> 2020-01-01T00:00:02Z </time></trkpt>
</trkseg></trk></gpx>`;

/** Points of both ways in turn, in segments with and without prefixes: they must stay in their order. */
const segments = `<gpx xmlns="urn:g" xmlns:g="urn:g"><trk><trkseg>${timed(1)}</trkseg><g:trkseg>
${timed(2, 'g:')}</g:trkseg><trkseg>${timed(3)}${timed(4, 'g:')}</trkseg>
<trkseg>${timed(5)}</trkseg></trk><trk><name>B</name><trkseg>
${timed(6)}</trkseg></trk><g:wpt lat="7" lon="7"/><wpt lat="8" lon="8"/></gpx>`;

function timed(lat: number, prefix = ''): string {
  return `<${prefix}trkpt lat="${lat}" lon="1"><time>2020-01-01T00:00:00Z</time></${prefix}trkpt>`;
}

/** Extensions that say other numbers, and some that say other things. */
const repeated = `<gpx xmlns="urn:g" xmlns:x="urn:x"><trk><trkseg>${[
  '\n<x:hr>88</x:hr>\n',
  '\n<x:hr>101</x:hr>\n',
  '\n<x:hr>..</x:hr>\n',
  '\n<x:hr>9</x:hr>\n<x:cad é="1">5</x:cad>\n',
  '\n<x:hr>-9</x:hr>\n<x:cad é="1">60.5</x:cad>\n',
  '\n<x:hr>7</x:hr>\n<!-->1<--><x:cad>6</x:cad>\n',
  '\n<x:hr></x:hr>\n',
]
  .map((inside) => `<extensions>${inside}</extensions>`)
  .map((texts) => `<trkpt lat="1" lon="2">${texts}</trkpt>\n`.repeat(2))
  .join('')}</trkseg></trk></gpx>`;

/** Documents of the kinds that the short way takes, more often than the fixtures that are small enough for thousands of readings. */
const canonical = [
  garmin,
  places,
  unusual,
  segments,
  repeated,
  garmin.replaceAll('\n', '\r\n'),
  unusual.replaceAll('\n', '\r\n'),
  garmin.replaceAll('>\n<', '><'),
].map((text) => Buffer.from(text));
const documents: readonly Buffer[] = [
  ...canonical.flatMap((bytes) => Array.from({ length: 12 }, () => bytes)),
  ...fixtures().filter((bytes) => bytes.length < 4_000),
];

function fixtures(): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)));
}

test('both ways yield the same for every fixture and the journey', (t) => {
  const all = [...fixtures(), ...[...journeyFiles().values()].map((text) => Buffer.from(text))];
  for (const bytes of all) expectSame(t, hear([bytes], 'auto'), hear([bytes], 'plain'));
});

test('both ways refuse a document that is cut off at any byte, and agree with pieces that end there', (t) => {
  let places = 0;
  for (const bytes of canonical) {
    const whole = hear([bytes], 'plain');
    for (let at = 0; at < bytes.length; at += 1) {
      if (!isTaken((places += 1))) continue;
      const start = bytes.subarray(0, at);
      const refusal = hear([start], 'plain');
      // Only the white space at the end may be missing.
      if (at < bytes.toString('latin1').trimEnd().length) t.is(typeof refusal[0], 'string');
      expectSame(t, hear([start], 'auto'), refusal, String(at));
      expectSame(t, hear([start, bytes.subarray(at)], 'auto'), whole, String(at));
    }
  }
});

test('segments and tracks of one point are all read, and an offence between them keeps its line', (t) => {
  const point = `${timed(1)}\n`;
  const many = `${point}</trkseg><trkseg>\n${point}</trkseg></trk>\n<trk><name>N</name><trkseg>`;
  const start = `<gpx><trk><trkseg>${many.repeat(200)}`;
  t.is(hear([Buffer.from(`${start}</trkseg></trk></gpx>`)], 'auto').length, 802);
  const broken = [Buffer.from(`${start}</trkseg></trc><trk><trkseg>${many}</trkseg></trk></gpx>`)];
  t.deepEqual(hear(broken, 'auto'), ['not_xml', 801]);
  t.deepEqual(hear(broken, 'plain'), ['not_xml', 801]);
});

/** The place of a wound is where the `@` is. */
const slots = [
  '<!-- a@b --><wpt lat="1" lon="2"/>',
  '<wpt lat="1" lon="2"><!-- a@b --></wpt>',
  '<wpt lat="1" lon="2"><x><!-- a@b --></x></wpt>',
  '<wpt lat="1" lon="2"><name>a@b</name></wpt>',
  '<wpt lat="1" lon="2"><name><![CDATA[a@b]]></name></wpt>',
  '<wpt lat="1" lon="2"><desc>a<![CDATA[b]]>c@d</desc></wpt>',
  '<wpt lat="1" lon="2"><desc>a@b<![CDATA[]]></desc></wpt>',
  '<wpt lat="1" lon="2"><ele>1<![CDATA[@]]></ele></wpt>',
  '<wpt lat="1" lon="2"><ele>1@</ele></wpt>',
  '<wpt lat="1" lon="2"><time>2020-01-01T00:00:00Z@</time></wpt>',
  '<wpt lat="1" lon="2"><time><![CDATA[@2020-01-01T00:00:00Z]]></time></wpt>',
  '<wpt lat="1" lon="2"><x><![CDATA[a@b]]></x></wpt>',
  '<wpt lat="1" lon="2"><x>a@b</x></wpt>',
  '<wpt lat="1" lon="2"><x a="1@2"/></wpt>',
  `<wpt lat="1" a='1@2' lon="2"/>`,
  '<wpt lat="1@" lon="2"/>',
  '<wpt lat@="1" lon="2"/>',
  '<wpt lat="1" lon=@"2"/>',
  '<wpt lat="1" lon="2"@/>',
  '<wpt lat="1" lon="2"@>@</wpt>',
  '<wpt lat="1" lon="2"><name@>a</name@></wpt>',
  '<trk><trkseg><trkpt><x><y>1</y></x></trkpt><trkpt><x><y>2@</y></x></trkpt></trkseg></trk>',
  '<trk><trkseg><trkpt><x><y>1</y></x></trkpt><trkpt><x@><y>2</y></x@></trkpt></trkseg></trk>',
  '<wpt lat="1" lon="2"><x@></x@></wpt@>',
];
const characters = [
  '| |\t|\n|\r\n|\r|\u0001|\u007F|\u0085|\u00E9|\u{1F9ED}|\uFEFF|\uFFFD|\uFFFE|\uFFFF|\u0300|-|--|-->|]|]]|]]>',
  `<|>|&|&amp;|&#38;|&#x26;|&#0;|&no;|"|'|=|/|e1|0|+| b="c"`,
]
  .flatMap((list) => list.split('|'))
  .map((text) => Buffer.from(text));
const invalid = ['ff', 'c3', 'c0af', 'eda080', 'f4908080'].map((hex) => Buffer.from(hex, 'hex'));

for (const encoding of ['utf-8', 'windows-1252', 'us-ascii']) {
  test(`both ways read any character in any place alike, in ${encoding}`, (t) => {
    let cases = 0;
    for (const slot of slots) {
      for (const wound of [...characters, ...invalid]) {
        if (!isTaken((cases += 1))) continue;
        const body = slot.replaceAll('@', wound.toString('latin1'));
        const head = `<?xml version="1.0" encoding="${encoding}"?><gpx>`;
        const bytes = Buffer.from(`${head}${body}<wpt lat="3" lon="4"/></gpx>`, 'latin1');
        expectSame(t, hear([bytes], 'auto'), hear([bytes], 'plain'), bytes.toString('latin1'));
      }
    }
  });
}

const fragments = `
  < > & " ' / = ] - : ; . # + 0 9 e Z T <!-- --> <![CDATA[ ]]> <?x ?> /> </ &amp; &lt; &#0; &#x9;
  <ele> </ele> <time> </time> <name> </name> <desc/> <g:ele> <ele/> <trkpt </trkpt> <wpt </wpt>
  <trkseg> </trkseg> <extensions> </extensions> <tags> \u00E9 \uFFFE \uFFFF \uFEFF \u{1F9ED} \u0001
  1e999 24:00:00 :60Z`
  .split(/[ \n]+/)
  .concat([' ', '\t', '\r', '\n', ' lat="1"', ' a="b"', ' xmlns="u"'])
  .map((text) => Buffer.from(text));

/** Put between two tags, these leave the document well-formed. */
const harmless = `
  <ele>7</ele> <ele/> <time>2020-01-01T00:00:00Z</time> <name>N</name> <desc>D&gt;</desc> <x/>
  <!--<trkpt/>--> <![CDATA[<wpt>]]> <?x?> <extensions><t:tags><tag>a</tag></t:tags></extensions>
  <g:time>x</g:time> <y_z.1>é</y_z.1> <x><y></y></x> text &amp; &#13; <trkpt/> <wpt/>`
  .split(/[ \n]+/)
  .concat(['\n', '\r\n', '<x a="1" b="2"/>', '<x\n a="\n"></x\t>', '<wpt lat="1" lon="2"/>'])
  .concat(['<trkpt lon="1" lat="2"><time>2020-01-01T23:59:59.9Z</time></trkpt>'])
  .map((text) => Buffer.from(text));

/** Put before a coordinate, some leave the document well-formed and some repeat an attribute. */
const attributes = [
  ` a="b"|\r\n\tb = '"é'| c='&amp;&#x41;'| lat="1"| x:lon='2'| d="&no;"| e=""| f='>'| g=1| latlon="3"|  |\uFFFE`,
]
  .flatMap((text) => text.split('|'))
  .map((text) => Buffer.from(text));

/** Put into a text, most of these leave the document well-formed. */
const inText = [
  `<![CDATA[7]]>|<![CDATA[]]>|<![CDATA[a]]b]]]>|<!-- <ele> -->|&#55;|&lt;|&nbsp;|]]|]]>|\r\n|<x/>|<?x?>|\u00E9|\uFF08|\uFFFF`,
  `<![CDATA[\r\n&amp;<]]>|<![CDATA[\uFFFE]]>|<!-- -- -->|<!--é-->|\t|\u007F|.5|<![CDATA[>]]>`,
]
  .flatMap((text) => text.split('|'))
  .map((text) => Buffer.from(text));

const edit = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('insert', 'replace', 'remove', 'repeat', 'move'),
  length: fc.nat({ max: 60 }),
  bytes: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...fragments) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  ),
});
function additionOf(kind: string, wounds: readonly Buffer[]): fc.Arbitrary<Edit> {
  return fc.record({
    at: fc.nat(),
    kind: fc.constant(kind),
    length: fc.nat({ max: 9 }),
    bytes: fc.constantFrom(...wounds),
  });
}
const addition = fc.oneof(
  { weight: 3, arbitrary: additionOf('between', harmless) },
  { weight: 1, arbitrary: additionOf('digit', harmless) },
  { weight: 2, arbitrary: additionOf('attribute', attributes) },
  { weight: 3, arbitrary: additionOf('in text', inText) },
);
interface Edit {
  readonly at: number;
  readonly kind: string;
  readonly length: number;
  readonly bytes: Uint8Array;
}

function edited(bytes: Buffer, { at, kind, length, bytes: wound }: Edit): Buffer {
  const place = at % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'between') {
    const tag = bytes.indexOf('><', place) + 1;
    return Buffer.concat([bytes.subarray(0, tag), wound, bytes.subarray(tag)]);
  }
  if (kind === 'attribute') return insertedAt(bytes, /(?=\slat|\slon)/, place, wound);
  if (kind === 'in text') return insertedAt(bytes, />(?=[^<\s])/, place, wound);
  if (kind === 'digit') {
    const digit = bytes.toString('latin1').slice(place).search(/\d/);
    if (digit < 0) return bytes;
    return Buffer.from(bytes).fill(String(length), place + digit, place + digit + 1);
  }
  if (kind === 'insert') return Buffer.concat([before, wound, after]);
  if (kind === 'replace') return Buffer.concat([before, wound, after.subarray(wound.length)]);
  if (kind === 'remove') return Buffer.concat([before, after.subarray(length)]);
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, length * 4), after]);
  return Buffer.concat([before, after.subarray(length), after.subarray(0, length)]);
}

/** Inserts behind the next match. */
function insertedAt(bytes: Buffer, target: RegExp, place: number, wound: Uint8Array): Buffer {
  const found = target.exec(bytes.toString('latin1', place));
  if (found === null) return bytes;
  const spot = place + found.index + found[0].length;
  return Buffer.concat([bytes.subarray(0, spot), wound, bytes.subarray(spot)]);
}

function mutated(document: Buffer, edits: readonly Edit[]): Buffer {
  return edits.reduce(edited, document);
}

test('both ways yield the same calls, or the same refusal in the same line, for any damage', (t) => {
  const outcomes = new Map<unknown, number>();
  const numRuns = rounds(2_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      fc.array(addition, { maxLength: 4 }),
      fc.array(edit, { maxLength: 1 }),
      fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 4 }),
      (document, additions, edits, sizes) => {
        const bytes = mutated(document, [...additions, ...edits]);
        const plain = hear([bytes], 'plain');
        expectSame(t, hear([bytes], 'auto'), plain);
        expectSame(t, hear(pieces(bytes, sizes), 'auto'), plain);
        const outcome = typeof plain[0] === 'string' ? plain[0] : 'read';
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      },
    ),
    { numRuns },
  );
  // Damage that always breaks the document would prove little.
  t.true((outcomes.get('read') ?? 0) > 0.2 * numRuns, JSON.stringify([...outcomes]));
});

const digits = fc.array(fc.nat({ max: 9 }), { maxLength: 20 }).map((list) => list.join(''));
const number = fc
  .tuple(fc.constantFrom('', '', '-', '+', ' '), digits, fc.constantFrom('', '.', 'e1'), digits)
  .map((parts) => parts.join(''));
const pad = (value: number, length: number): string => String(value).padStart(length, '0');
const twoDigits = fc.integer({ min: 0, max: 62 }).map((value) => pad(value, 2));
const date = fc
  .tuple(fc.integer({ min: 90, max: 2_999 }), fc.nat({ max: 13 }), fc.nat({ max: 32 }))
  .map(([year, month, day]) => [pad(year, 4), pad(month, 2), pad(day, 2)].join('-'));
const time = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        '2024-02-29',
        '2023-02-29',
        '1900-02-29',
        '0000-01-01',
        '9999-12-31',
        '202-1',
      ),
      date,
    ),
    fc.constantFrom('T', 'T', 'T', ' '),
    fc.tuple(twoDigits, twoDigits, twoDigits).map((parts) => parts.join(':')),
    fc.oneof(
      fc.constant(''),
      digits.map((fraction) => `.${fraction}`),
    ),
    fc.constantFrom('Z', 'Z', '', '+01:30', 'z'),
  )
  .map((parts) => parts.join(''));

test('both ways read every number and time alike', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number, time)), (list) => {
      const points = list.map(
        ([lat, lon, ele, at]) =>
          `<trkpt lat="${lat}" lon="${lon}"><ele>${ele}</ele><time>${at}</time></trkpt>`,
      );
      const bytes = Buffer.from(`<gpx><trk><trkseg>${points.join('')}</trkseg></trk></gpx>`);
      expectSame(t, hear([bytes], 'auto'), hear([bytes], 'plain'));
    }),
    { numRuns: rounds(1_000) },
  );
});
