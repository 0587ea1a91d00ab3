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
  const maps = new TrackMaps('', schedule, pool as never);
  const ask = (signal = new AbortController().signal) => maps.run('listDays', { limit: 1 }, signal);
  return { ask, running, deadlines };
}

test('so many tiles wait for the one that is made; one more is refused', async (t) => {
  const { ask, running } = queue();
  const asked = Array.from({ length: 1 + limits.tilesWaiting }, () => ask());
  await t.throwsAsync(ask(), { instanceOf: WaypointError, code: 'busy' });
  for (let at = 0; at < asked.length; at += 1) {
    const answer = Uint8Array.of(at);
    running[at]!.end(answer);
    t.is(await asked[at], answer);
  }
  const last = ask();
  running.at(-1)!.end(Uint8Array.of(1));
  t.deepEqual(await last, Uint8Array.of(1));
});

test('a tile whose client has gone is given up', async (t) => {
  const { ask, running } = queue();
  const [first, gone] = [new AbortController(), new AbortController()];
  gone.abort();
  const asked = [ask(first.signal), ask(gone.signal)];
  t.deepEqual(
    running.map(({ flag }) => flag.isCancelled),
    [false, true],
  );
  first.abort();
  t.true(running[0]!.flag.isCancelled);
  for (const { end } of running) end(undefined);
  for (const answer of asked) await t.throwsAsync(answer, { code: 'busy' });
});

test('a tile that takes too long is given up', async (t) => {
  const { ask, running, deadlines } = queue();
  const asked = ask();
  t.false(running[0]!.flag.isCancelled);
  deadlines[0]!();
  t.true(running[0]!.flag.isCancelled);
  running[0]!.end(undefined);
  await t.throwsAsync(asked, { code: 'busy' });
});
