/**
 * Says how much resident memory lookups add to a process that does nothing else, in MB, or nothing where that cannot be
 * measured. Its argument is a file of latitudes and longitudes (Float64) to look up.
 */
import { readFileSync } from 'node:fs';
import { processCost } from '../measure/process-cost.ts';
import { builtinGeodataPath } from '../../geodata/generation.ts';

const [file = ''] = process.argv.slice(2);
const positions = new Float64Array(new Uint8Array(readFileSync(file)).buffer);
const before = processCost(process.pid)?.residentMb;
const { GeodataLookup } = await import('../../geodata/lookup.ts');
const lookup = new GeodataLookup(builtinGeodataPath());
for (let i = 0; i < positions.length; i += 2) lookup.find(positions[i]!, positions[i + 1]!);
const after = processCost(process.pid)?.residentMb;
lookup.close();
if (before !== undefined && after !== undefined) console.log(after - before);
