/** curl against a daemon: the README's lines, and what curl does that fetch does not. */
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { testWith } from '../helpers/where.ts';

const testCurl = testWith(spawnSync('curl', ['--version']).status === 0, 'no curl');
const launcher = path.resolve(import.meta.dirname, '../../bin/waypointd.js');

async function run(command: string, words: readonly string[], input = '', env = {}) {
  const child = spawn(command, words, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdin.end(input);
  const output = await text(child.stdout);
  return { code: await ended, output };
}

/** curl with the token from standard input, as the documentation shows it; prints the body, then the status. */
async function curl(daemon: TestDaemon, place: string, ...words: string[]) {
  const { code, output } = await run(
    'curl',
    ['-sS', '-H', '@-', '-w', '\n%{http_code}', ...words, `${daemon.url}${place}`],
    `Authorization: Bearer ${daemon.token}\n`,
  );
  const end = output.lastIndexOf('\n');
  return { code, status: Number(output.slice(end + 1)), body: output.slice(0, end) };
}

testCurl("the README's line reads the waypoints", async (t) => {
  const daemon = await startTestDaemon(t, { options: { handOver: true } });
  await daemon.call('POST', '/api/bookmarks', { name: 'Camp ⛺', lat: 42.1, lon: -8.3 });
  const line = '"$0" "$1" token --header | curl -s -H @- "$("$0" "$1" url)/api/waypoints"';
  const { output } = await run('sh', ['-c', line, process.execPath, launcher], '', {
    WAYPOINTD_DATA_DIR: path.join(daemon.root, 'data'),
    WAYPOINTD_RUNTIME_DIR: path.join(daemon.root, 'run'),
  });
  const [waypoint] = JSON.parse(output) as { name: string; lat: number }[];
  t.like(waypoint, { name: 'Camp ⛺', lat: 42.1 });
});

testCurl('curl sends a body in chunks and a query with accents', async (t) => {
  const daemon = await startTestDaemon(t);
  const json = JSON.stringify({ name: 'Çeşme', lat: 38.3, lon: 26.3 });
  const chunked = ['-H', 'Transfer-Encoding: chunked', '-H', 'Content-Type: application/json'];
  t.is((await curl(daemon, '/api/bookmarks', ...chunked, '-d', json)).status, 201);
  const found = await curl(daemon, '/api/suggest', '-G', '--data-urlencode', 'q=çeşme');
  t.is(found.status, 200);
  t.like(JSON.parse(found.body), { query: 'çeşme', suggestions: [{ name: 'Çeşme' }] });
});

testCurl('curl speaks HTTP/1.0 and asks for headers only', async (t) => {
  const daemon = await startTestDaemon(t);
  t.is((await curl(daemon, '/api/version', '--http1.0')).status, 200);
  t.is((await curl(daemon, '/api/version', '-I')).status, 405);
});
