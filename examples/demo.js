/**
 * `npm run demo`: what a user types, on a daemon of its own in temporary directories that are removed afterwards. Plain
 * JavaScript, as the launcher is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const clone = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const launcher = path.join(clone, 'bin', 'waypointd.js');
const root = mkdtempSync(path.join(os.tmpdir(), 'waypointd-demo-'));
const places = ['data', 'cache', 'runtime'].map((name) => `--${name}-dir=${path.join(root, name)}`);
const config = path.join(root, 'config.json');
const settings = [...places, `--config=${config}`];
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('WAYPOINTD_')),
);
/** Of the list: enough to see what there is, few enough for one screen. */
const shownLines = 14;

/** Runs a command of waypointd and gives what it prints; errors go to the terminal. */
function waypointd(...words) {
  const all = [launcher, ...words, ...settings];
  return execFileSync(process.execPath, all, { encoding: 'utf8', maxBuffer: 1e8, env });
}

function show(title, text) {
  console.log(`\n── ${title} ──\n${text.trimEnd()}`);
}

/** Runs a command and shows it as it is typed. */
function showCommand(...words) {
  show(words.join(' '), waypointd(...words));
}

function showClusters(zoom) {
  const items = JSON.parse(waypointd('api', `/api/clusters?zoom=${zoom}`));
  const rows = items.map(({ type, count, name, lat, lon }) =>
    [(type === 'cluster' ? `${count} waypoints` : name).padEnd(24), lat.toFixed(6), lon.toFixed(6)]
      .join('  ')
      .trim(),
  );
  show(`clusters at zoom ${zoom}`, rows.join('\n'));
}

/** The daemon, while it runs. */
let daemon;

async function demo() {
  daemon = spawn(
    process.execPath,
    [launcher, 'serve', '--port=0', '--log-level=error', ...settings],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    },
  );
  try {
    while (!existsSync(path.join(root, 'runtime', 'daemon.json'))) {
      if (daemon.exitCode !== null) throw new Error('The daemon did not start.');
      await wait(50);
    }
    console.log(`A daemon is running on ${waypointd('url').trim()}, in temporary directories.`);
    show(
      'import of fixtures/journey',
      waypointd('import', '-r', path.join(clone, 'fixtures/journey')),
    );
    waypointd('bookmark', 'add', 'Home', '41.1579,-8.6291', '--tag', 'home');
    waypointd(
      'bookmark',
      'add',
      'Best coffee',
      '43.2569,-2.9236',
      '--tag',
      'coffee',
      '--tag',
      '**',
    );
    for (const { name, lat, lon } of JSON.parse(waypointd('list', '--json'))) {
      // Beaches of Portugal and Spain.
      if (/Praia|Playa/u.test(name))
        waypointd('tag', 'add', name, 'beach', '--at', `${lat},${lon}`);
    }
    const rows = waypointd('list').trimEnd().split('\n');
    const more = `… and ${rows.length - shownLines} more`;
    show('list', [...rows.slice(0, shownLines), more].join('\n'));
    showClusters(4);
    for (const text of ['tag:beach', 'fini', 'goteborg']) showCommand('search', text);
    showCommand('timeline', '2024', '--level', 'country');
    showCommand('where', '2024-05-14T15:30Z');
  } finally {
    if (daemon.exitCode === null) {
      daemon.kill();
      await once(daemon, 'exit');
    }
  }
  console.log('\nThat was all, and nothing of it is left. Your own: npx waypointd serve');
}

writeFileSync(config, '{}');
process.once('exit', () => {
  daemon?.kill();
  rmSync(root, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
await demo();
