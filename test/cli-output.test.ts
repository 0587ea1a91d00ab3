import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { parsePosition } from '../cli/commands/place.ts';
import { notWritten } from '../cli/terminal/access.ts';
import { layOut, tableLine, titleLine } from '../cli/terminal/table.ts';
import {
  degrees,
  displayWidth,
  duration,
  fitWidth,
  forTerminal,
  wrapText,
} from '../cli/terminal/text.ts';
import {
  fail,
  finish,
  startFakeDaemon,
  testCli,
  untilPrinted,
  type TestCli,
} from './helpers/cli.ts';

const widths: [string, number][] = [
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['ｶﾞ', 2],
  ['ｶ', 1],
  ['東京タワー', 10],
  ['ㄅ', 2],
  ['🇵🇹', 2],
  ['שלום', 4],
  ['Ａ', 2],
  ['⭐', 2],
  ['🏖️', 2],
  ['👨‍👩‍👧', 2],
  ['한', 2],
  ['\u200B', 0],
  ['', 0],
];
for (const [text, width] of widths) {
  test(`a terminal takes ${width} cells for ${JSON.stringify(text)}`, (t) => {
    t.is(displayWidth(text), width);
  });
}

test('a text is cut to its cells and never in the middle of a character', (t) => {
  t.is(fitWidth('abcdef', 6), 'abcdef');
  t.is(fitWidth('abcdef', 5), 'abcd…');
  t.is(fitWidth('日本語', 5), '日本…');
  t.is(fitWidth('日本語', 4), '日…');
  t.is(fitWidth('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
});

test('a text is broken at its blanks into lines that fit', (t) => {
  t.deepEqual(wrapText('aa bb cc', 5), ['aa bb', 'cc']);
  t.deepEqual(wrapText('aa bb cc', 8), ['aa bb cc']);
  t.deepEqual(wrapText('aaaaaaa b', 3), ['aaaaaaa', 'b']);
  t.deepEqual(wrapText('日本 語', 6), ['日本', '語']);
  t.deepEqual(wrapText('', 5), ['']);
});

test('a text of a file cannot move the cursor or turn the line around', (t) => {
  t.is(forTerminal('a\u001B[2Jb\rc\u202Ed\ne'), 'a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFDe');
});

test('table columns are aligned by cells and cut to the terminal', (t) => {
  const columns = [
    { title: 'NAME', canShrink: true },
    { title: 'N', align: 'right' as const },
  ];
  const rows = [
    ['日本語日本語', '1'],
    ['abc', '22'],
  ];
  const wide = layOut(columns, rows, 80);
  t.is(titleLine(wide), 'NAME           N');
  t.deepEqual(
    rows.map((row) => tableLine(wide, row)),
    ['日本語日本語   1', 'abc           22'],
  );
  const narrow = layOut(columns, rows, 13);
  t.deepEqual(
    rows.map((row) => tableLine(narrow, row)),
    ['日本語日…   1', 'abc        22'],
  );
});

test('a piped table cuts nothing and one long name does not widen the others', (t) => {
  const columns = [{ title: 'NAME', canShrink: true }, { title: 'N' }];
  const long = 'x'.repeat(200);
  const layout = layOut(
    columns,
    [
      [long, '1'],
      ['a', '2'],
    ],
    undefined,
  );
  t.is(tableLine(layout, [long, '1']), `${long}  1`);
  t.is(tableLine(layout, ['a', '2']), `a${' '.repeat(49)}2`);
});

test('only what is wrong with the place of a file is said of it, not what could not be read for it', (t) => {
  const refused = (path?: string) => Object.assign(new Error('EACCES'), { code: 'EACCES', path });
  const own = /^\/out\/b\.tar was not written: you may not write there\.$/u;
  for (const error of [refused(), refused('/out/b.tar'), refused('/out/b.tar.1.tmp')])
    t.regex((notWritten('/out/b.tar', error) as Error).message, own);
  const other = refused('/data/imports/walk.gpx');
  t.is(notWritten('/out/b.tar', other), other);
});

test('coordinates are printed with at most six decimals', (t) => {
  t.is(degrees(42.1), '42.1');
  t.is(degrees(-8.123_456_789), '-8.123457');
  t.is(degrees(1e-9), '0');
  t.is(degrees(-180), '-180');
});

test('durations are printed in the unit that fits', (t) => {
  t.is(duration(0), '0 s');
  t.is(duration(59_999), '59 s');
  t.is(duration(60_000), '1 min');
  t.is(duration(3_600_000 * 3 + 60_000 * 20), '3 h 20 min');
  t.is(duration(86_400_000 * 5), '5 days');
});

const positions: [string, string | undefined, number, number][] = [
  ['42.1', '-8.3', 42.1, -8.3],
  ['42.1,-8.3', undefined, 42.1, -8.3],
  [' -8.3, 42.1', undefined, -8.3, 42.1],
  ['42.1N', '8.3W', 42.1, -8.3],
  ['S42.1', 'e8.3', -42.1, 8.3],
  ['42.1°N', '8.3° W', 42.1, -8.3],
  ['geo:42.1,-8.3', undefined, 42.1, -8.3],
  ['1e-7', '.5', 1e-7, 0.5],
  ['-90', '180', -90, 180],
];
for (const [first, second, lat, lon] of positions) {
  test(`a position is read from ${[first, second].filter(Boolean).join(' ')}`, (t) => {
    t.deepEqual(parsePosition(first, second), { lat, lon });
  });
}

const noPositions: [string, string | undefined][] = [
  ['42.1', undefined],
  ['', ''],
  ['abc', '1'],
  ['0x10', '1'],
  ['90.000001', '0'],
  ['0', '-180.000001'],
  ['42.1E', '8.3N'],
  ['-42.1S', '8.3'],
  ['1,2,3', undefined],
  ['NaN', '0'],
  ['Infinity', '0'],
];
for (const [first, second] of noPositions) {
  test(`no position is read from "${[first, second].join(' ')}"`, (t) => {
    const error = t.throws(() => parsePosition(first, second));
    t.is((error as { exitCode?: number }).exitCode, 64);
  });
}

test('help explains the program, a command and a command of a command', async (t) => {
  const cli = testCli(t);
  for (const words of [['--help'], ['help']]) {
    t.regex(await cli.out(words), /Your waypoints:[\s\S]*import <path\.\.\.>[\s\S]*Examples:/u);
  }
  t.regex(await cli.out(['help', 'import']), /--recursive[\s\S]*Exit code/u);
  t.regex(await cli.out(['help', 'bookmark', 'add']), /--tag[\s\S]*42\.1 -8\.3/u);
  t.regex(await cli.out(['serve', '--help']), /--data-dir/u);
});

test('a mistake in the call is explained and exits with 64', async (t) => {
  const cli = testCli(t);
  const calls: [string[], RegExp][] = [
    [['lst'], /Did you mean list/u],
    [['help', 'nosuch'], /^waypointd: unknown command 'nosuch'\n/u],
    [['help', 'bookmark', 'nosuch'], /^waypointd: unknown command 'nosuch'\n/u],
    [[], /Usage: waypointd/u],
    [['list', '--nope'], /--nope/u],
    [['bookmark', 'add', 'x'], /lat/u],
    [['bookmark', 'add', 'x', '91', '0'], /latitude/u],
    [['bookmark', 'add', ' ', '1', '2'], /name is empty/u],
    [['bookmark', 'add', 'x', '1', '2', '--ele', 'high'], /--ele/u],
    [['bookmark', 'add', 'x', '1', '2', '--time', 'noon'], /--time/u],
    [['bookmark', 'edit', 'x'], /what to change/u],
    [['history', '--limit', '201'], /1 to 200/u],
    [['history', '--limit', '0'], /1 to 200/u],
    [['list', '--bbox', '1,2,3'], /west,south,east,north/u],
    [['import'], /path/u],
  ];
  for (const [words, expected] of calls) {
    const { code, stdout, stderr } = await cli.run(words);
    t.is(code, 64, words.join(' '));
    t.is(stdout, '', words.join(' '));
    t.regex(stderr, expected);
    t.notRegex(stderr, /^ {4}at /mu);
  }
});

test('version tells what the program is and needs no daemon', async (t) => {
  const cli = testCli(t);
  t.regex(await cli.out(['version']), /^waypointd \d+\.\d+\.\d+/u);
  t.regex(await cli.out(['--version']), /^\d+\.\d+\.\d+\n$/u);
  t.like(await cli.json(['version']), {
    module: { name: 'waypointd' },
    runtime: { name: 'node', version: process.versions.node },
    platform: { os: process.platform },
  });
});

function sourceUrl(file: string): string {
  return new URL(`../${file}`, import.meta.url).href;
}

/** Has processes of sources tell on standard error which of these packages their main threads load. */
function tellLoads(cli: TestCli, packages: string): Readonly<Record<string, string>> {
  const hooks = join(cli.root, 'hooks.mjs');
  writeFileSync(
    hooks,
    `import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) registerHooks({ load(url, context, next) {
  if (/node_modules.(${packages})./.test(url)) console.error('loaded ' + url);
  return next(url, context);
} });`,
  );
  // Where coverage is measured, the launcher runs sources: in a bundle no package has a file of its own.
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(hooks).href}`,
    NODE_V8_COVERAGE: join(cli.root, 'coverage'),
  };
}

test('short commands load neither SQLite nor Koa', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {});
  const env = tellLoads(cli, 'better-sqlite3|koa|pino|piscina');
  const { code, stdout, stderr } = await cli.run(['version'], { env, isProcess: true });
  t.is(code, 0, stderr);
  t.regex(stdout, /^waypointd /u);
  t.is(stderr, '');
  // The others in one process: each would take half a second to load what the first one does.
  const script = `import { allCommands } from '${sourceUrl('cli/commands/all.ts')}';
import { runProgram } from '${sourceUrl('cli/program/program.ts')}';
for (const word of ['token', 'url', 'paths', 'help', 'config']) {
  console.error(word, Number(await runProgram(allCommands, [word])));
}`;
  const others = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...cli.env, ...env },
    cwd: cli.root,
  });
  t.is((await finish(others)).stderr, 'token 0\nurl 0\npaths 0\nhelp 0\nconfig 0\n');
});

test('what carries requests is loaded before the daemon is ready, not with the first timeline', async (t) => {
  const cli = testCli(t);
  const child = cli.start(['serve', '--port', '0'], { env: tellLoads(cli, 'koa|@koa') });
  const ended = finish(child);
  await untilPrinted(child.stderr, /"event":"daemon\.ready"/u);
  await cli.run(['timeline', '2024']);
  child.kill('SIGTERM');
  const [before = '', after = ''] = (await ended).stderr.split('"event":"daemon.ready"');
  t.regex(before, /loaded .*koa/u);
  t.regex(after, /"state":"completed"/u);
  t.notRegex(after, /loaded /u);
});

test('api sends what it is told and passes the answer on', async (t) => {
  const cli = testCli(t);
  const fake = await startFakeDaemon(t, cli, {
    'GET /api/x': ({ query }) => ({ q: query.get('q') }),
    'POST /api/x': ({ body }) => ({ got: body }),
    'DELETE /api/x': (_, response) => {
      response.statusCode = 204;
      response.end();
    },
  });
  t.is(await cli.out(['api', '/api/x?q=1']), '{"q":"1"}');
  t.is(await cli.out(['api', 'get', '/api/x?q=2']), '{"q":"2"}');
  t.is(await cli.out(['api', '/api/x', '-d', '{"a":1}']), '{"got":{"a":1}}');
  t.is(
    await cli.out(['api', '/api/x', '-d', '-'], { input: '[2]', isProcess: true }),
    '{"got":[2]}',
  );
  writeFileSync(join(cli.root, 'body.json'), '3');
  const besideUs = await cli.out(['api', 'POST', '/api/x', '-d', '@body.json'], {
    isProcess: true,
  });
  t.is(besideUs, '{"got":3}');
  t.is(await cli.out(['api', '/api/x', '-X', 'DELETE']), '');
  t.true(fake.requests.every(({ authorization }) => authorization === `Bearer ${fake.token}`));
});

test('api turns an error answer into a sentence and exit code 1', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, {
    'GET /api/x': (_, response) => fail(response, 400, 'invalid', 'Not valid.', 'lat'),
    'GET /api/y': (_, response) => {
      response.statusCode = 500;
      response.end('<html>');
    },
  });
  const refused = await cli.run(['api', '/api/x']);
  t.like(refused, {
    code: 1,
    stdout: '',
    stderr: 'waypointd: HTTP 400 invalid: Not valid. (lat)\n',
  });
  t.is((await cli.run(['api', '/api/y'])).code, 1);
  t.is((await cli.run(['api', '/api/x', '-d', '@missing'])).code, 1);
});

test('api never sends the token to another host', async (t) => {
  const cli = testCli(t);
  const fake = await startFakeDaemon(t, cli, {});
  for (const path of [
    '//example.org/x',
    'http://example.org/',
    'api/x',
    '/a\\b',
    '/a b',
    '/é',
    '',
  ]) {
    t.is((await cli.run(['api', path])).code, 64, path);
  }
  t.is((await cli.run(['api', 'FETCH', '/api/x'])).code, 64);
  t.is((await cli.run(['api', 'GET', '/api/x', '-X', 'POST'])).code, 64);
  t.is((await cli.run(['api', 'GET', '/api/x', 'more'])).code, 64);
  t.deepEqual(fake.requests, []);
});

test('a list is split at line feeds only, whatever a name holds', async (t) => {
  const cli = testCli(t);
  const name = 'a\u2028b\u2029c\u0085d';
  const line = JSON.stringify({ name, lat: 1, lon: 2, bookmark: true });
  await startFakeDaemon(t, cli, {
    'GET /api/waypoints': (_, response) => void response.end(`[\n${line}\n]`),
  });
  t.is((await cli.json(['list']))[0].name, name);
  t.regex(await cli.out(['list']), /a.b.c.d +1 +2/u);
});

test('list --json is an array, also an empty one', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, { 'GET /api/waypoints': () => [] });
  t.deepEqual(await cli.json(['list']), []);
  const { stdout, stderr } = await cli.run(['list']);
  t.is(stdout, '');
  t.regex(stderr, /import ~\/tracks -r/u);
});

test('a command never shows a stack trace unless it is asked to', async (t) => {
  const cli = testCli(t);
  await startFakeDaemon(t, cli, { 'GET /api/suggest': () => ({ nonsense: true }) });
  const { code, stderr } = await cli.run(['search', 'x']);
  t.is(code, 1);
  t.regex(stderr, /^waypointd: The daemon's answer .* was not understood\.\n$/u);
  const env = { WAYPOINTD_LOG_LEVEL: 'debug' };
  t.regex((await cli.run(['search', 'x'], { env })).stderr, /^ {4}at /mu);
});
