import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import Flatbush from 'flatbush';
import KDBush from 'kdbush';
import { closing } from '../../model/closing.ts';
import {
  areaKinds,
  beltCell,
  generationApplicationId,
  generationSchema,
  namesTogether,
  placeKinds,
  spatialParts,
  unitsPerDegree,
} from '../format.ts';
import { areaWords } from '../areas.ts';
import { encodeRings } from '../ring-blob.ts';
import { generationTables } from '../tables.ts';
import { spelledOut, wholeName, wordsOf } from '../words.ts';
import type { Border } from './borders.ts';
import { townsOfSections } from './sections.ts';
import type { WorldArea } from './search-areas.ts';
import type { WorldPlace } from './world-places.ts';

/** Content of a generation. */
export interface World {
  /** By population, the largest first. */
  readonly places: readonly WorldPlace[];
  readonly borders: readonly Border[];
  /** Searchable areas beside places, in any order. */
  readonly areas: readonly WorldArea[];
  /** See `coast_belt` in format.ts; all of the globe is near land without. */
  readonly coastBelt?: Uint32Array<ArrayBuffer>;
  /** By ISO code. */
  readonly countryNames: ReadonlyMap<string, string>;
  /** By `country.code`. */
  readonly regionNames: ReadonlyMap<string, string>;
  /** Written as they are, in this order. */
  readonly meta: Readonly<Record<string, string>>;
}

/** A belt that is everywhere. */
const allNear = Uint32Array.of(beltCell.near, beltCell.near);
/** Room for 64 MB in memory: the file is written once. */
const cacheKib = 65_536;

/** Writes a generation to a file that is not there yet. The same world gives the same bytes. */
export function writeGeneration(path: string, world: World): void {
  using db = closing(new Database(path));
  db.pragma('page_size = 4096');
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma(`cache_size = -${cacheKib}`);
  db.pragma('temp_store = MEMORY');
  db.pragma(`application_id = ${generationApplicationId}`);
  db.pragma(`user_version = ${generationSchema}`);
  db.transaction(() => {
    db.exec(generationTables());
    writeWorld(db, world);
  })();
  db.exec('VACUUM');
}

function writeWorld(db: Database.Database, world: World): void {
  const ids = numberDivisions(world);
  writeDivisions(db, world, ids);
  const tree = placeTree(world.places);
  writePlaces(db, world.places, ids, townsOfSections(world.places, tree));
  writeWords(db, world.places);
  writeOtherNames(db, world.places);
  writeAreas(db, world.areas, ids);
  writeBorders(db, world.borders, ids);
  const part = db.prepare('INSERT INTO spatial_index VALUES (?, ?)');
  const countryOfPlace = Uint16Array.from(world.places, ({ country }) => ids.country(country));
  part.run(spatialParts.placeTree, bytesOf(tree.data));
  part.run(spatialParts.placeCountry, bytesOf(countryOfPlace.buffer));
  part.run(spatialParts.borderTree, bytesOf(borderTree(world.borders).data));
  part.run(spatialParts.coastBelt, bytesOf((world.coastBelt ?? allNear).buffer));
  const meta = db.prepare('INSERT INTO meta VALUES (?, ?)');
  for (const entry of Object.entries(world.meta)) meta.run(...entry);
}

type DivisionIds = ReturnType<typeof numberDivisions>;

function numberDivisions({ countryNames, regionNames }: World) {
  const countries = new Map([...countryNames.keys()].sort().map((code, id) => [code, id]));
  const regions = new Map([...regionNames.keys()].sort().map((code, id) => [code, id]));
  return {
    country(code: string): number {
      const id = countries.get(code);
      if (id === undefined) throw new Error(`geodata: the country ${code} has no name`);
      return id;
    },
    /** Null where nothing is known of the region but its code. */
    region: (country: string, code: string): number | null =>
      regions.get(`${country}.${code}`) ?? null,
  };
}

function writeDivisions(
  db: Database.Database,
  { countryNames, regionNames }: World,
  ids: DivisionIds,
): void {
  const country = db.prepare('INSERT INTO country VALUES (?, ?, ?, ?)');
  for (const code of [...countryNames.keys()].sort()) {
    const name = countryNames.get(code)!;
    country.run(ids.country(code), code, name, areaWords(name, code));
  }
  const region = db.prepare('INSERT INTO region VALUES (?, ?, ?, ?, ?)');
  for (const code of [...regionNames.keys()].sort()) {
    const [countryCode = '', regionCode = ''] = code.split('.');
    const id = ids.region(countryCode, regionCode);
    const name = regionNames.get(code)!;
    region.run(id, ids.country(countryCode), code, name, areaWords(name, code));
  }
}

function writePlaces(
  db: Database.Database,
  places: readonly WorldPlace[],
  ids: DivisionIds,
  townOf: ReadonlyMap<number, number>,
): void {
  const insert = db.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (const [id, place] of places.entries()) {
    insert.run(
      id,
      place.name,
      ids.country(place.country),
      ids.region(place.country, place.region),
      place.lat,
      place.lon,
      place.population,
      place.feature,
      placeKinds.indexOf(place.kind),
      townOf.get(id) ?? null,
    );
  }
}

function writeWords(db: Database.Database, places: readonly WorldPlace[]): void {
  const insert = db.prepare('INSERT INTO place_words (rowid, name, whole) VALUES (?, ?, ?)');
  for (const [id, { name, otherNames }] of places.entries()) {
    const names = [name, spelledOut(name), ...otherNames].map(wordsOf);
    const wholes = new Set(names.map(wholeName));
    insert.run(id, [...new Set(names[0])].join(' '), [...wholes].join(' '));
  }
  db.exec("INSERT INTO place_words (place_words) VALUES ('optimize')");
}

function writeOtherNames(db: Database.Database, places: readonly WorldPlace[]): void {
  const insert = db.prepare('INSERT INTO other_names VALUES (?, ?)');
  for (let id = 0; id * namesTogether < places.length; id += 1) {
    const names = places
      .slice(id * namesTogether, (id + 1) * namesTogether)
      .map(({ name, otherNames }) => otherNames.filter((other) => other !== name));
    const text = JSON.stringify(names);
    if (names.some((others) => others.length > 0)) insert.run(id, deflateRawSync(text));
  }
}

function writeAreas(db: Database.Database, areas: readonly WorldArea[], ids: DivisionIds): void {
  const insert = db.prepare('INSERT INTO area VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const byPeople = areas.toSorted((a, b) => b.population - a.population);
  for (const [id, area] of byPeople.entries()) {
    const { kind, names, otherNames = [], country, region, lat, lon, population, radiusM } = area;
    const words = new Set(names.map(wordsText));
    const others = new Set(otherNames.map(wordsText).filter((text) => !words.has(text)));
    insert.run(
      id,
      areaKinds.indexOf(kind),
      names[0],
      [...words].join('\n'),
      [...others].join('\n'),
      ids.country(country),
      region === undefined ? null : ids.region(country, region),
      lat,
      lon,
      population,
      radiusM ?? null,
    );
  }
}

function wordsText(name: string): string {
  return ` ${wordsOf(name).join(' ')} `;
}

function writeBorders(db: Database.Database, borders: readonly Border[], ids: DivisionIds): void {
  const insert = db.prepare('INSERT INTO border VALUES (?, ?, ?)');
  for (const [id, { country, rings }] of borders.entries()) {
    insert.run(id, ids.country(country), encodeRings(rings));
  }
}

/** Single precision: half a metre at worst. */
function placeTree(places: readonly WorldPlace[]): KDBush {
  const tree = new KDBush(places.length, 64, Float32Array);
  for (const { lon, lat } of places) tree.add(lon / unitsPerDegree, lat / unitsPerDegree);
  return tree.finish();
}

function borderTree(borders: readonly Border[]): Flatbush {
  const tree = new Flatbush(borders.length, 16, Int32Array);
  for (const { box } of borders) tree.add(box.west, box.south, box.east, box.north);
  tree.finish();
  return tree;
}

function bytesOf(buffer: ArrayBufferLike): Buffer {
  return Buffer.from(buffer as ArrayBuffer);
}
