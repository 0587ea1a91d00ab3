import { borderAccuracyM, countryBorders } from './borders.ts';
import { coastBelt } from './coast-belt.ts';
import { countryNames } from './countries.ts';
import { checkInputs, identity, inputs } from './inputs.ts';
import { islands } from './islands.ts';
import { isletsWithout } from './islets.ts';
import {
  readBorderFeatures,
  readCensusPlaces,
  readCountryShapes,
  readCurrentPlaces,
  readLand,
  readRegionNames,
} from './read-inputs.ts';
import { divisionAreas, emptyCountries } from './search-areas.ts';
import { worldPlaces } from './world-places.ts';
import { unitsPerDegree } from '../format.ts';
import { writeGeneration } from './write-generation.ts';

/** Makes the builtin generation from the installed packages. @param path a file that is not there yet. */
export function buildGeneration(path: string): void {
  checkInputs();
  const features = readBorderFeatures();
  const places = worldPlaces(readCurrentPlaces(), readCensusPlaces());
  const shapes = readCountryShapes();
  const land = readLand();
  const borders = countryBorders(shapes, features);
  const centres = places.map(({ lat, lon }) => ({
    lat: lat / unitsPerDegree,
    lon: lon / unitsPerDegree,
  }));
  const [countries, regions] = [countryNames(features), readRegionNames()];
  const divisions = divisionAreas(places, countries, regions);
  writeGeneration(path, {
    places,
    borders,
    coastBelt: coastBelt(land, [...centres, ...isletsWithout(land, shapes)]),
    areas: [...divisions, ...emptyCountries(borders, divisions, countries), ...islands(places)],
    countryNames: countries,
    regionNames: regions,
    meta: {
      ...identity,
      inputs: JSON.stringify(inputs),
      places: String(places.length),
      borders: String(borders.length),
      border_accuracy_m: String(borderAccuracyM),
    },
  });
}
