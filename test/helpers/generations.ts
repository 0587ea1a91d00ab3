import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashFileOf } from '../../geodata/generation.ts';
import { unitsPerDegree } from '../../geodata/format.ts';
import { writeGeneration } from '../../geodata/build/write-generation.ts';
import { InstallFailed, type Download } from '../../geodata/installer.ts';
import { partialPath } from '../../geodata/manifest.ts';
import type { GeodataManifest, GeodataProbe, HostedGeneration } from '../../model/geodata.ts';

/** A small generation, somewhere outside of any data directory. */
export interface TestGeneration {
  readonly path: string;
  readonly oid: string;
  /** Its entry in a manifest. */
  readonly listed: HostedGeneration;
}

const landmark = { lat: 50, lon: 10 };

const boxDegrees = { west: 5, south: 45, east: 15, north: 55 };
/** Making one takes ten times as long as copying it. */
const made = new Map<string, Buffer>();

/** Knows one country and three places: one called after itself, `Everytown`, and `Beyond`, outside of the border. */
export function makeGeneration(directory: string, id: string): TestGeneration {
  const path = join(directory, `${id}.file`);
  const dataset = {
    dataset_version: `${id} version`,
    source_version: 'made for tests',
    attribution: 'nobody (made up)',
    license: 'CC0-1.0',
  };
  let bytes = made.get(id);
  if (bytes === undefined) {
    write(path, id, dataset);
    made.set(id, (bytes = readFileSync(path)));
  } else {
    writeFileSync(path, bytes);
  }
  const oid = createHash('sha256').update(bytes).digest('hex');
  const probe: GeodataProbe = { ...landmark, country_id: 'ZZ', locality: `Landmark ${id}` };
  return {
    path,
    oid,
    listed: {
      id,
      ...dataset,
      artifacts: [
        { role: 'gazetteer', oid, size: bytes.length, media_type: 'application/vnd.sqlite3' },
      ],
      probes: [probe],
    },
  };
}

function write(path: string, id: string, dataset: Readonly<Record<string, string>>): void {
  const { west, south, east, north } = boxDegrees;
  const units = (degrees: number): number => degrees * unitsPerDegree;
  const corners = [west, south, east, south, east, north, west, north].map(units);
  const box = { west: units(west), south: units(south), east: units(east), north: units(north) };
  const shared = { country: 'ZZ', region: '01', feature: 'PPL', otherNames: [] };
  const at = (lat: number, lon: number) => ({ ...shared, lat: units(lat), lon: units(lon) });
  writeGeneration(path, {
    places: [
      { ...at(landmark.lat, landmark.lon), name: `Landmark ${id}`, population: 9e6, kind: 'city' },
      { ...at(52, 12), name: 'Everytown', population: 10_000, kind: 'town' },
      { ...at(48, 16), name: 'Beyond', population: 1_000, kind: 'village' },
    ],
    areas: [],
    borders: [{ country: 'ZZ', rings: [Int32Array.from(corners)], box }],
    countryNames: new Map([['ZZ', 'Testland']]),
    regionNames: new Map([['ZZ.01', 'Test Region']]),
    meta: { id, ...dataset, places: '3', borders: '1' },
  });
}

/** Leaves word of its hash beside a generation, as the build does for the builtin one. */
export function asBuiltin({ path, oid }: TestGeneration): string {
  writeFileSync(hashFileOf(path), `${oid}\n`);
  return path;
}

export function manifestOf(
  ...generations: readonly { listed: HostedGeneration }[]
): GeodataManifest {
  return {
    schema: 1,
    endpoints: ['https://objects.invalid/secret-base'],
    generations: generations.map(({ listed }) => listed),
  };
}

/** Puts the file of a generation where an install finds it. @param content other than its own */
export function placePartial(
  geodataDirectory: string,
  { path, oid }: TestGeneration,
  content?: Uint8Array,
): string {
  const partial = partialPath(geodataDirectory, oid);
  mkdirSync(dirname(partial), { recursive: true });
  if (content === undefined) copyFileSync(path, partial);
  else writeFileSync(partial, content);
  return partial;
}

/** Changes one byte in the middle of a file. */
export function damage(path: string): void {
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

/** For tests that are not about fetching: nothing is to be had from anywhere. */
export const noDownload: Download = () => Promise.reject(new InstallFailed('offline'));
