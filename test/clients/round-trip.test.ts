/** GPX files come out of an export and of a second one as Python reads them, and the comparison sees what is missing. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testWith } from '../helpers/where.ts';

const root = resolve(import.meta.dirname, '..', '..');
const script = join(root, 'test', 'roundtrip', 'run.ts');
const comparison = join(root, 'test', 'roundtrip', 'compare.py');
const withPython = testWith(spawnSync('python3', ['--version']).status === 0, 'no python3');

/** Of these files we read less than Python (entities, depth, encodings) or more (what it calls not well-formed). */
const readOtherwise = /^(?:comment-with|depth|doctype|encoding|entity|not)-/u;

withPython('the fixtures make a round trip', (t) => {
  const source = temporaryDirectory(t);
  const fixtures = join(root, 'fixtures', 'gpx');
  for (const name of readdirSync(fixtures))
    if (name.endsWith('.gpx') && !readOtherwise.test(name))
      copyFileSync(join(fixtures, name), join(source, name));
  const words = [script, source];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  t.is(status, 0, stdout + stderr);
  t.regex(stdout, / 0 differences\n$/u);
});

const whole = `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="1" lon="2"><ele>3</ele><time>2024-05-01T09:00:00Z</time><name>Camp</name><cmt>c</cmt><desc>d</desc>
<src>map</src><link href="https://example.org"><text>Page</text></link><sym>Flag</sym><type>stay</type></wpt>
<rte><name>Plan</name><rtept lat="1" lon="2"><name>Start</name></rtept></rte>
<trk><type>hiking</type><trkseg><trkpt lat="1" lon="2"><ele>3</ele><time>2024-05-01T10:00:00Z</time></trkpt></trkseg><trkseg>
<trkpt lat="1" lon="3"/></trkseg></trk></gpx>`;

const losses: readonly (readonly [what: string, from: string, to: string])[] = [
  ['a waypoint', '<wpt lat="1"', '<wpt lat="1.1"'],
  ['an elevation', '<ele>3</ele><time>2024-05-01T09', '<time>2024-05-01T09'],
  ['a time', '09:00:00Z', '09:00:00.001Z'],
  ['a comment', '<cmt>c</cmt>', ''],
  ['a link', '<text>Page</text>', ''],
  ['a symbol', 'Flag', 'flag'],
  ['a name of a route point', 'Start', 'Begin'],
  ['a type of a track', 'hiking', ''],
  ['a segment', '</trkseg><trkseg>', ''],
  ['a time of a point', '<time>2024-05-01T10:00:00Z</time>', ''],
  ['a ten-millionth of a degree', 'lon="3"', 'lon="3.0000001"'],
];

withPython('the comparison sees what an export leaves out or changes', (t) => {
  const directory = temporaryDirectory(t);
  const source = join(directory, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'a.gpx'), whole);
  const compare = (first: string, second: string): number | null => {
    const files = ['first', 'second'].map((name) => join(directory, `${name}.gpx`));
    for (const [at, text] of [first, second].entries()) writeFileSync(files[at]!, text);
    return spawnSync('python3', [comparison, source, '[]', ...files]).status;
  };
  t.is(compare(whole, whole), 0);
  for (const [what, from, to] of losses) {
    const changed = whole.replace(from, to);
    t.not(changed, whole, what);
    t.is(compare(changed, changed), 1, what);
    t.is(compare(whole, changed), 1, `${what}, in the second export`);
  }
});
