import { builtinGeodataPath, readGenerationInfo } from '../../geodata/generation.ts';
import { GeodataLookup } from '../../geodata/lookup.ts';
import type { Geodata } from './timeline-of.ts';

let known: Geodata | undefined;

/** The generation that comes with the program. */
export function builtinGeodata(): Geodata {
  if (known !== undefined) return known;
  const geodataPath = builtinGeodataPath();
  const { dataset_version, source_version, attribution, license } = readGenerationInfo(geodataPath);
  const dataset = { dataset_version, source_version, attribution, license };
  return (known = { geodataPath, dataset, lookup: new GeodataLookup(geodataPath) });
}
