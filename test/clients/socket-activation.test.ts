/** systemd-socket-activate with the launcher under the Node.js on PATH, which may be one that hands over to the bundled one. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { launcher, testCli, untilPrinted } from '../helpers/cli.ts';
import { freePort } from '../helpers/local-server.ts';
import { testWith } from '../helpers/where.ts';

const activate = 'systemd-socket-activate';
const hasActivate = spawnSync(activate, ['--version']).status === 0;

/** The one that ava runs on is new enough, and needs no launcher. */
function nodeOnPath(): string {
  const path = (process.env['PATH'] ?? '').split(':').slice(1).join(':');
  const { stdout } = spawnSync('which', ['node'], {
    env: { PATH: `${path}:/usr/bin` },
    encoding: 'utf8',
  });
  return stdout.trim() === '' ? process.execPath : stdout.trim();
}

testWith(hasActivate, `no ${activate}`)(
  'a daemon behind the launcher answers on the socket that it was handed, and takes no other port',
  async (t) => {
    const cli = testCli(t);
    const port = await freePort();
    const node = nodeOnPath();
    t.log(`${node} ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
    const words = ['-l', `127.0.0.1:${port}`];
    for (const name of Object.keys(cli.env)) words.push('-E', name);
    const child = spawn(activate, [...words, node, launcher, 'serve', '--port', '0'], {
      env: cli.env,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    await untilPrinted(child.stderr, /Listening on/u);
    const ready = untilPrinted(child.stderr, /"port":(\d+),"event":"daemon\.ready"/u);
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    t.is(answer.status, 200);
    t.is((await ready)[1], String(port));
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    t.deepEqual(await ended, [0, null]);
  },
);
