/**
 * A daemon in a process of its own is killed with SIGKILL at seeded moments while it answers bookmark and tag changes as
 * fast as it can. What it acknowledged is compared with what is there after the next start.
 */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Random } from '../bench/random.ts';
import { gpxHead, gpxTail, gpxWaypoint } from '../formats/gpx-text.ts';
import { readBookmarks, toBookmark } from './faults/image.ts';
import type { Bookmark } from './faults/script.ts';
import { daemonBelow } from './faults/site.ts';
import { testCli, untilPrinted, type TestCli } from './helpers/cli.ts';
import { rounds, seeds } from './helpers/effort.ts';

const kills = rounds(9);
const [seed = 0] = seeds(1);
/** So many answers at least come before most kills: on a busy machine a time alone would see none. */
const begunWith = 4;
const time = '2026-01-02T03:04:05Z';
/** Long notes make the file long enough that a kill can meet it half-written. */
const longNote = 'a long note '.repeat(600);

type Model = readonly Bookmark[];

/** One request and what it makes of the bookmarks. */
interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly after: Model;
}

const numbers = new Random(seed);
const random = (below: number): number => numbers.below(below);
let made = 0;

function nextChange(model: Model): Change {
  const at = random(Math.max(model.length, 1));
  const target = model[at];
  // Few deletions at first, as many as additions once there is something to lose.
  const kind = random(10);
  if (target === undefined || kind < 4) return addition(model);
  const { name, lat } = target;
  const place = { name, lat, lon: 7 };
  const query = `name=${encodeURIComponent(name)}&lat=${lat}&lon=7`;
  const changed = (changes: Partial<Bookmark>): Model =>
    model.map((known) => (known === target ? { ...known, ...changes } : known));
  if (kind < 6) {
    const after = model.filter((known) => known !== target);
    return { method: 'DELETE', path: `/api/bookmarks?${query}`, after };
  }
  made += 1;
  if (kind === 6) {
    const body = { oldName: name, lat, lon: 7, newName: `Renamed ${made}`, newLat: lat + 0.5 };
    const after = changed({ name: `Renamed ${made}`, lat: lat + 0.5 });
    return { method: 'PATCH', path: '/api/bookmarks', body, after };
  }
  if (kind === 7) {
    const body = { oldName: name, lat, lon: 7, desc: `note ${made}` };
    return {
      method: 'PATCH',
      path: '/api/bookmarks',
      body,
      after: changed({ desc: `note ${made}` }),
    };
  }
  if (kind === 8 || target.tags.length === 0) {
    const after = changed({ tags: [...target.tags, `tag ${made}`] });
    return { method: 'POST', path: '/api/tags', body: { ...place, tag: `tag ${made}` }, after };
  }
  const [tag = ''] = target.tags;
  const path = `/api/tags?${query}&tag=${encodeURIComponent(tag)}`;
  return { method: 'DELETE', path, after: changed({ tags: target.tags.slice(1) }) };
}

function addition(model: Model): Change {
  made += 1;
  const tags = random(3) === 0 ? [`first ${made}`, 'home'] : [];
  const desc = made < 15 ? longNote.trim() : '';
  const known = { name: `Place ${made} & <co>`, lat: random(80), desc, tags };
  const body = { ...known, lon: 7, time };
  return { method: 'POST', path: '/api/bookmarks', body, after: [...model, known] };
}

/** What somebody wrote into the file while no daemon ran; the requests never touch it. */
const isEdit = (name: string): boolean => name.startsWith('Edit');

/** Names a state of the bookmarks, edits aside. */
function hashOf(model: Model): string {
  const kept = model.filter(({ name }) => !isEdit(name));
  return createHash('sha256').update(JSON.stringify(kept)).digest('hex');
}

const namesOf = (model: Model): string => model.map(({ name }) => name).join(', ');

interface Running extends Pick<ReturnType<typeof daemonBelow>, 'ask'> {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
}

async function start(cli: TestCli, killAfterMs?: number): Promise<Running | undefined> {
  const child = cli.start(['serve', '--port', '0']);
  const exit = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  child.stdout?.resume();
  // A kill before it is ready ends the stream: that is a moment to be killed at, too.
  const isReady = await untilPrinted(child.stderr, /daemon\.ready/).catch(() => undefined);
  if (isReady === undefined) {
    await exit;
    return undefined;
  }
  return { child, exit, ask: daemonBelow(cli.root).ask };
}

/** Kills within a few ms of the moment at which a rewrite shows in the directory. */
function killInRewrite({ child, exit }: Running, directory: string): void {
  const delayMs = random(30);
  const watcher = watch(directory, (_event, file) => {
    if (file === null || !file.includes('bookmarks.gpx')) return;
    watcher.close();
    setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  // Nothing to be seen on a file system without notifications.
  const late = setTimeout(() => child.kill('SIGKILL'), 2_500);
  void exit.then(() => {
    watcher.close();
    clearTimeout(late);
  });
}

async function listOf(daemon: Running): Promise<Model> {
  const { text } = await daemon.ask('GET', '/api/waypoints');
  return JSON.parse(text).map(toBookmark);
}

/** Everything the test knows about the one data directory. */
class Witness {
  /** What was acknowledged last. */
  model: Model = [];
  /** The change without an answer when the process died: it may have happened or not. */
  pending: Change | undefined;
  /** Every content that the store may ever have had: the mirror has to show one of them. */
  readonly moments = new Set([hashOf([])]);
  readonly edits: string[] = [];
  acknowledged = 0;
  readonly #t: ExecutionContext;
  readonly #path: string;

  constructor(t: ExecutionContext, path: string) {
    this.#t = t;
    this.#path = path;
  }

  /** Compares the store after a start with what was acknowledged before. */
  compareStore(list: Model): void {
    const found = hashOf(list);
    const possible = [this.model, ...(this.pending === undefined ? [] : [this.pending.after])];
    const actual = possible.find((model) => hashOf(model) === found);
    this.#t.not(actual, undefined, `answered: ${namesOf(this.model)}; there: ${namesOf(list)}`);
    this.model = actual ?? [];
    this.pending = undefined;
  }

  /** The file is whole at every moment, and shows a content the store had. */
  checkMirror(): void {
    if (!existsSync(this.#path)) return;
    const mirror = readBookmarks(this.#path);
    const isOnlyEdits = mirror.length > 0 && mirror.every(({ name }) => isEdit(name));
    this.#t.true(isOnlyEdits || this.moments.has(hashOf(mirror)), 'a content that never was');
  }

  /**
   * Sends changes until the process is dead.
   * @param onBegun called when some were answered, however long that took
   */
  async workUntilKilled(daemon: Running, onBegun?: () => void): Promise<void> {
    for (let count = 1; ; count += 1) {
      const change = nextChange(this.model);
      this.pending = change;
      this.moments.add(hashOf(change.after));
      try {
        const { method, path, body, after } = change;
        const { status } = await daemon.ask(method, path, body);
        this.#t.true(status < 300, `${method} ${status}`);
        this.model = after;
        this.pending = undefined;
        this.acknowledged += 1;
      } catch {
        // The connection broke: the process is dead or dying.
        await daemon.exit;
        return;
      }
      if (count === begunWith) onBegun?.();
      if (count % 10 === 0) this.glance();
    }
  }

  /** A quick look at the end of the file, which a rewrite in place would write last. */
  glance(): void {
    if (existsSync(this.#path)) this.#t.true(readFileSync(this.#path, 'utf8').endsWith('</gpx>\n'));
  }

  /** Puts another file in the place of the mirror, as an editor or a sync program does. */
  edit(): void {
    this.edits.push(`Edit ${this.edits.length}`);
    const waypoints = this.edits.map((name) => gpxWaypoint({ name, lat: 1, lon: 2 }));
    writeFileSync(`${this.#path}.editor`, gpxHead() + waypoints.join('') + gpxTail());
    renameSync(`${this.#path}.editor`, this.#path);
  }
}

test('kill -9 loses nothing that was answered, brings nothing back, and leaves bookmarks.gpx whole', async (t) => {
  const cli = testCli(t);
  const data = join(cli.root, 'data');
  const path = join(data, 'bookmarks.gpx');
  const witness = new Witness(t, path);
  for (let round = 0; round < kills; round += 1) {
    // Some die while they start, some in the middle of a rewrite, most while they answer.
    const killAtStart = round % 5 === 4 ? 150 + random(500) : undefined;
    const daemon = await start(cli, killAtStart);
    witness.checkMirror();
    if (daemon === undefined) continue;
    try {
      witness.compareStore(await listOf(daemon));
    } catch (error) {
      if (killAtStart === undefined) throw error;
      continue;
    }
    const isInRewrite = killAtStart === undefined && round % 3 === 1;
    if (isInRewrite) killInRewrite(daemon, data);
    const killSoon = (): unknown => setTimeout(() => daemon.child.kill('SIGKILL'), random(350));
    await witness.workUntilKilled(daemon, isInRewrite ? undefined : killSoon);
    witness.checkMirror();
    if (round % 6 === 3) witness.edit();
  }
  t.true(witness.acknowledged > 2 * kills, `${witness.acknowledged} changes`);
  await compareAtTheEnd(t, cli, witness);
});

async function compareAtTheEnd(t: ExecutionContext, cli: TestCli, witness: Witness): Promise<void> {
  const data = join(cli.root, 'data');
  const path = join(data, 'bookmarks.gpx');
  const daemon = await start(cli);
  if (daemon === undefined) return t.fail('it does not start');
  witness.compareStore(await listOf(daemon));
  // Windows knows no orderly stop by a signal.
  if (process.platform === 'win32') return;
  await daemon.ask('POST', '/api/bookmarks', { name: 'Last', lat: 1, lon: 7, time });
  // A stop in the middle of a merge leaves the rest to the next start: once more, then everything is at rest.
  daemon.child.kill('SIGTERM');
  t.is(await daemon.exit, 0);
  const again = await start(cli);
  if (again === undefined) return t.fail('it does not start');
  const list = await listOf(again);
  again.child.kill('SIGTERM');
  t.is(await again.exit, 0);
  t.deepEqual(readBookmarks(path), list);
  const names = list.map(({ name }) => name);
  t.deepEqual(names.filter(isEdit).toSorted(), witness.edits.toSorted());
  t.true(names.includes('Last'));
  t.deepEqual(
    readdirSync(data).filter((name) => name.endsWith('.tmp')),
    [],
  );
}
