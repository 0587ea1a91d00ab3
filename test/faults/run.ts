/**
 * `npm run faults [PART…]`: faults that no test of contents can see, on a whole daemon; Linux with strace. Prints a line of
 * figures for each part, and ends with 1 when anything was lost, half there, unclear or stuck.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoAttaching } from '../helpers/strace.ts';
import { jumpClock, whyNoClock } from './clocks.ts';
import { failDisk } from './disk-errors.ts';
import { fuzzRequests } from './fuzz.ts';
import { killImportChanges } from './import-kills.ts';
import { killRestores, killStarts } from './kills.ts';
import { cutPower } from './power-cut.ts';
import { scratchDirectory } from './site.ts';

/** Runs one part in an empty directory. @returns what was done, in figures. */
type Part = (directory: string, onFault: (fault: string) => void) => Promise<string>;

const parts: Record<string, Part> = {
  async cuts(directory, onFault) {
    const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
    console.log(`cuts: TEST_SEED=${seed}`);
    const options = { directory, seed, steps: 40, images: 240, workers: 2, onFault };
    const { calls, images, answers, faulty } = await cutPower(options);
    return `${images} images of ${calls} recorded calls and ${answers} answers, ${faulty} faulty`;
  },
  async kills(directory, onFault) {
    const { kills } = await killStarts({ directory, stride: 1, onFault });
    return `${kills} starts killed`;
  },
  async restores(directory, onFault) {
    const kills = await killRestores({ directory, stride: 1, onFault });
    return `${kills} restores killed`;
  },
  async imports(directory, onFault) {
    const kills = await killImportChanges({ directory, stride: 1, onFault });
    return `${kills} changes of imported files killed`;
  },
  async errors(directory, onFault) {
    const { requests, starts } = await failDisk({ directory, onFault });
    return `${requests} requests and ${starts} starts on a failing disk`;
  },
  async fuzz(directory, onFault) {
    const counts = await fuzzRequests({ directory, requests: 20_000, onFault });
    const answers = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
    return `20,000 requests, answered ${answers.join(', ')}`;
  },
};

if (whyNoClock === undefined) {
  parts['clocks'] = async (directory, onFault) =>
    `${await jumpClock({ directory, onFault })} jumps of a year and back`;
} else console.log(`clocks: skipped (${whyNoClock})`);

const missing = whyNoAttaching();
if (missing !== undefined) {
  console.log(`faults: skipped (${missing})`);
  process.exit(0);
}
const asked = process.argv.slice(2);
const scratch = scratchDirectory();
let found = 0;
for (const name of asked.length === 0 ? Object.keys(parts) : asked) {
  const begin = performance.now();
  const directory = join(scratch, name);
  mkdirSync(directory);
  const figures = await parts[name]?.(directory, (fault) => {
    found += 1;
    console.log(`FAULT ${fault}`);
  });
  const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
  console.log(`${name}: ${figures ?? 'no such part'} (${seconds} s)`);
}
console.log(`faults: ${found} found`);
process.exit(found === 0 ? 0 : 1);
