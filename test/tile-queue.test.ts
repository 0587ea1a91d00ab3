import test from 'ava';
import { WaypointError } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { TrackMaps } from '../daemon/tiles/track-maps.ts';
import { SharedCounters } from '../worker/shared-counters.ts';

interface Running {
  readonly flag: SharedCounters<never>;
  readonly end: (answer: Uint8Array | undefined) => void;
}

/** A thread whose tasks end when the test says so. */
function queue() {
  const running: Running[] = [];
  const deadlines: (() => void)[] = [];
  const pool = {
    run: (_name: string, { control }: { readonly control: SharedArrayBuffer }) =>
      new Promise<Uint8Array | undefined>((end) => {
        running.push({ flag: new SharedCounters([], control), end });
      }),
    close: () => Promise.resolve(),
  };
  const schedule = (run: () => void) => {
    deadlines.push(run);
    return () => {};
  };
  const paths = { waypointsDatabase: '', libraryDatabase: '' };
  const maps = new TrackMaps(paths, schedule, pool as never);
  const ask = (signal = new AbortController().signal) => maps.run('listDays', { limit: 1 }, signal);
  return { ask, running, deadlines };
}

/** Lets all that has been resolved go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('one tile is made at a time, and so many wait; one more is refused', async (t) => {
  const { ask, running } = queue();
  const asked = Array.from({ length: 1 + limits.tilesWaiting }, () => ask());
  await turn();
  t.is(running.length, 1);
  await t.throwsAsync(ask(), { instanceOf: WaypointError, code: 'busy' });
  for (let at = 0; at < asked.length; at += 1) {
    const answer = Uint8Array.of(at);
    running[at]!.end(answer);
    t.is(await asked[at], answer);
    await turn();
  }
  t.is(running.length, asked.length);
});

test('a tile whose client has gone is not made, or given up', async (t) => {
  const { ask, running } = queue();
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = [ask(first.signal), ask(second.signal), ask()];
  await turn();
  second.abort();
  await t.throwsAsync(asked[1]!, { code: 'busy' });
  first.abort();
  t.true(running[0]!.flag.isCancelled);
  running[0]!.end(undefined);
  await t.throwsAsync(asked[0]!, { code: 'busy' });
  await turn();
  t.is(running.length, 2);
  const third = Uint8Array.of(3);
  running[1]!.end(third);
  t.is(await asked[2], third);
  const gone = new AbortController();
  gone.abort();
  const late = ask(gone.signal);
  await turn();
  t.true(running[2]!.flag.isCancelled);
  running[2]!.end(undefined);
  await t.throwsAsync(late, { code: 'busy' });
});

test('a tile that takes too long is given up', async (t) => {
  const { ask, running, deadlines } = queue();
  const asked = ask();
  await turn();
  t.false(running[0]!.flag.isCancelled);
  deadlines[0]!();
  t.true(running[0]!.flag.isCancelled);
  running[0]!.end(undefined);
  await t.throwsAsync(asked, { code: 'busy' });
});
