/**
 * A program that fetches and installs one generation of a manifest after the other until it is killed, and writes a line for
 * each that is in use. Arguments: the root, with the manifest in it.
 */
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Geodata } from '../../daemon/geodata/geodata.ts';
import { parseManifest } from '../../geodata/manifest.ts';
import { systemClock } from '../../model/process.ts';
import { checkWhole } from '../../worker/geodata-tasks.ts';
import { silentLog } from '../helpers/logs.ts';

const [root = ''] = process.argv.slice(2);
const manifest = parseManifest(readFileSync(join(root, 'manifest'), 'utf8'));
if (manifest === undefined) throw new Error('no manifest');
const geodata = new Geodata(
  { directory: join(root, 'geodata'), clock: systemClock, log: silentLog },
  { manifest, check: checkWhole },
);
geodata.start();

for (let round = 0; ; round += 1) {
  const id = manifest.generations[round % manifest.generations.length]?.id ?? '';
  // Only the first one may be in use already, since before the last kill.
  if ((await geodata.installer.install(id)) === 'installed') continue;
  // At once, not when the event loop turns: the parent must know of everything.
  writeSync(1, `begun ${id}\n`);
  while (geodata.installer.status.state === 'installing') {
    await new Promise((resume) => setImmediate(resume));
  }
  const { state, error = '' } = geodata.installer.status;
  writeSync(1, `${state} ${id} ${error}\n`);
}
