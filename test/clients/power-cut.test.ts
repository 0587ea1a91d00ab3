/** A few power cuts; `npm run faults` makes more than 200. */
import test from 'ava';
import { cutPower } from '../faults/power-cut.ts';
import { temporaryDirectory } from '../helpers/daemon.ts';
import { whyNoStrace } from '../helpers/strace.ts';

const reason = whyNoStrace();
const withStrace = reason === undefined ? test.serial : test.skip;
const skipped = reason === undefined ? '' : ` (skipped: ${reason})`;

withStrace(`what was answered survives a power cut${skipped}`, async (t) => {
  const faults: string[] = [];
  const { images, faulty } = await cutPower({
    directory: temporaryDirectory(t),
    seed: 3,
    steps: 8,
    images: 9,
    workers: 2,
    onFault: (fault) => faults.push(fault),
  });
  t.deepEqual(faults, []);
  t.is(faulty, 0);
  t.is(images, 9);
});
