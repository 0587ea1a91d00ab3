import { closing } from '../../model/closing.ts';
import type { GeodataProbe, HostedGeneration } from '../../model/geodata.ts';
import type { ObjectBody } from '../../model/objects.ts';
import { checkGeneration } from '../check.ts';
import { readGenerationInfo } from '../generation.ts';
import { GeodataLookup } from '../lookup.ts';
import { parseManifest } from '../manifest.ts';

/** Towns all over the world; what a generation says of those that it knows is what its copies must say, too. */
const probedTowns: readonly (readonly [lat: number, lon: number])[] = [
  [50.11, 8.68],
  [48.857, 2.352],
  [51.507, -0.128],
  [30.044, 31.236],
  [-1.286, 36.817],
  [-33.925, 18.424],
  [28.614, 77.209],
  [35.69, 139.692],
  [-33.868, 151.207],
  [40.714, -74.006],
  [19.433, -99.133],
  [-23.548, -46.636],
];

/**
 * Checks a generation whole, and describes it as a manifest does, read back as daemons will.
 * @param endpoint of the object storage that has it
 * @returns undefined when it could not stand in a manifest.
 * @throws UnusableGeneration when the file is no generation, or damaged.
 */
export function describeGeneration(
  path: string,
  { oid, size }: ObjectBody,
  endpoint: string,
): HostedGeneration | undefined {
  const { bytes: _, ...info } = readGenerationInfo(path);
  const probes = probesOf(path);
  checkGeneration(path, probes);
  const artifact = { role: 'gazetteer', oid, size, media_type: 'application/vnd.sqlite3' };
  const generations = [{ ...info, artifacts: [artifact], probes }];
  const text = JSON.stringify({ schema: 1, endpoints: [endpoint], generations });
  return parseManifest(text)?.generations[0];
}

function probesOf(path: string): GeodataProbe[] {
  using lookup = closing(new GeodataLookup(path));
  return probedTowns.flatMap(([lat, lon]): GeodataProbe[] => {
    const { country_id, region, locality } = lookup.find(lat, lon);
    return country_id === '' ? [] : [{ lat, lon, country_id, region, locality }];
  });
}
