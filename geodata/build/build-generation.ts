import { countryBorders } from './borders.ts';
import { countryNames } from './countries.ts';
import { checkInputs, identity, inputs } from './inputs.ts';
import {
  readBorderFeatures,
  readCensusPlaces,
  readCurrentPlaces,
  readRegionNames,
} from './read-inputs.ts';
import { divisionAreas } from './search-areas.ts';
import { worldPlaces } from './world-places.ts';
import { writeGeneration } from './write-generation.ts';

/** Makes the builtin generation from the installed packages. @param path a file that is not there yet. */
export function buildGeneration(path: string): void {
  checkInputs();
  const features = readBorderFeatures();
  const places = worldPlaces(readCurrentPlaces(), readCensusPlaces());
  const borders = countryBorders(features);
  const [countries, regions] = [countryNames(features), readRegionNames()];
  writeGeneration(path, {
    places,
    borders,
    areas: divisionAreas(places, countries, regions),
    countryNames: countries,
    regionNames: regions,
    meta: {
      ...identity,
      inputs: JSON.stringify(inputs),
      places: String(places.length),
      borders: String(borders.length),
    },
  });
}
