/**
 * A program that installs one generation after the other until it is killed, and writes a line for each that is in use.
 * Arguments: the root.
 */
import { mkdtempSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Geodata } from '../../daemon/geodata/geodata.ts';
import { checkWhole } from '../../worker/geodata-tasks.ts';
import { makeGeneration, manifestOf, placePartial } from '../helpers/generations.ts';

const [root = ''] = process.argv.slice(2);
const directory = join(root, 'geodata');
const sources = mkdtempSync(join(root, 'sources-'));
// Three, so that each comes in anew: the one before the one before is removed.
const generations = ['first', 'second', 'third'].map((id) => makeGeneration(sources, id));
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const geodata = new Geodata(
  { directory, clock, log },
  { manifest: manifestOf(...generations), check: checkWhole },
);
geodata.start();

for (let round = 0; ; round += 1) {
  const generation = generations[round % generations.length]!;
  placePartial(directory, generation);
  // Only the first one may be in use already, since before the last kill.
  if ((await geodata.installer.install(generation.listed.id)) === 'installed') continue;
  while (geodata.installer.status.state === 'installing') {
    await new Promise((resume) => setImmediate(resume));
  }
  const { state } = geodata.installer.status;
  // At once, not when the event loop turns: the parent must know of every end.
  writeSync(1, `${state} ${generation.listed.id}\n`);
}
