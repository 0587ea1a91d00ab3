/** A few of the faults that `npm run faults` lets a whole daemon meet. */
import test from 'ava';
import { killImportChanges } from '../faults/import-kills.ts';
import { killStarts } from '../faults/kills.ts';
import { cutPower } from '../faults/power-cut.ts';
import { seeds } from '../helpers/effort.ts';
import { whyNoAttaching } from '../helpers/strace.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testUnless } from '../helpers/where.ts';

const withStrace = testUnless(whyNoAttaching(), test.serial);

withStrace('what was answered survives a power cut', async (t) => {
  const faults: string[] = [];
  const { images, faulty } = await cutPower({
    directory: temporaryDirectory(t),
    seed: seeds(1)[0]!,
    steps: 8,
    images: 6,
    workers: 2,
    onFault: (fault) => faults.push(fault),
  });
  t.deepEqual(faults, []);
  t.is(faulty, 0);
  t.is(images, 6);
});

withStrace('a start that is killed leaves what the next one opens', async (t) => {
  const faults: string[] = [];
  const onFault = (fault: string) => faults.push(fault);
  const { kills } = await killStarts({ directory: temporaryDirectory(t), stride: 40, onFault });
  t.deepEqual(faults, []);
  t.true(kills >= 4, `${kills} kills`);
});

withStrace('a change of imported files that is killed is whole or absent', async (t) => {
  const faults: string[] = [];
  const onFault = (fault: string) => faults.push(fault);
  const kills = await killImportChanges({ directory: temporaryDirectory(t), stride: 6, onFault });
  t.deepEqual(faults, []);
  t.true(kills >= 6, `${kills} kills`);
});
