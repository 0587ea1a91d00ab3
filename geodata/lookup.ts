import type { Database } from 'better-sqlite3';
import { distance } from 'geokdbush';
import { nowhere, type AdminLookup, type AdminPlace } from '../model/admin-place.ts';
import { prepare } from '../storage/prepared.ts';
import { Borders } from './borders.ts';
import { CoastBelt } from './coast-belt.ts';
import { openGeneration, reading, readMeta } from './generation.ts';
import { LargeCities, type Reached } from './large-cities.ts';
import { PlaceTree } from './place-tree.ts';
import { generationQueries, type GenerationDb } from './tables.ts';

/** Off the coast, and where borders have a gap, the nearest place within this tells the country. */
const coastKm = 25;
/** A stay this far from a town was in its region, as a rule; further off the guess would be wrong too often. */
const regionKm = 80;
/** A stay this far from a town was near it. */
const localityKm = 20;
/** Answers that are kept so that one place is one object; a person's life has some thousands. */
const mostKept = 20_000;

/** A country or a region. */
type Area = Pick<GenerationDb['region'], 'id' | 'code' | 'name'>;

/**
 * Finds country, region and town of a position in a generation: the country by its borders, none beyond 12 nautical miles
 * from land, region and town from the nearest place of that country, or from a large city around. docs/geodata.md has the rules. Holds some 10 MB until it is closed.
 */
export class GeodataLookup implements AdminLookup {
  readonly #db: Database;
  readonly #borders: Borders;
  readonly #belt: CoastBelt;
  readonly #places: PlaceTree;
  readonly #cities: LargeCities;
  readonly #countries: ReadonlyMap<number, Area>;
  readonly #regions: ReadonlyMap<number, Area>;
  readonly #place: ReturnType<typeof preparePlace>;
  /** 0 where the generation states none. */
  readonly #accuracyM: number;
  /** By what is known and the id that goes with it. */
  readonly #kept = new Map<number, AdminPlace>();

  /** @throws UnusableGeneration */
  constructor(path: string) {
    this.#db = openGeneration(path);
    try {
      const db = this.#db;
      [this.#borders, this.#belt, this.#places, this.#cities] = reading(() => [
        new Borders(db),
        new CoastBelt(db),
        new PlaceTree(db),
        new LargeCities(db),
      ]);
      this.#accuracyM = Number(reading(() => readMeta(db)).get('border_accuracy_m') ?? 0);
      [this.#countries, this.#regions, this.#place] = reading(() => [
        readAreas(db, 'country'),
        readAreas(db, 'region'),
        // Without a join: that would take four times as long, most of the time of a lookup.
        preparePlace(db),
      ]);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** @throws UnusableGeneration when the file turns out to be damaged. */
  find(lat: number, lon: number): AdminPlace {
    if (!this.#belt.holds(lat, lon)) return nowhere;
    const country = this.#borders.countryAt(lat, lon) ?? this.#countryOffCoast(lat, lon);
    if (country === undefined) return nowhere;
    const near = this.#places.nearest(lat, lon, localityKm, country);
    if (near !== undefined) {
      const city = this.#cities.over(lat, lon, () => this.#reached(lat, lon, country, near));
      return this.#answer(country, near, 'town', city);
    }
    const far = this.#places.nearest(lat, lon, regionKm, country);
    if (far !== undefined) return this.#answer(country, far, 'region');
    return this.#answer(country, country, 'country');
  }

  /** The ids of other countries within the accuracy of borders that the generation states. */
  nearBorder(lat: number, lon: number): string[] {
    const { country_id } = this.find(lat, lon);
    if (country_id === '' || this.#accuracyM === 0) return [];
    return [...this.#borders.countriesAround(lat, lon, this.#accuracyM)]
      .map((id) => this.#countries.get(id)!.code)
      .filter((code) => code !== country_id)
      .sort();
  }

  close(): void {
    this.#kept.clear();
    this.#db.close();
  }

  #countryOffCoast(lat: number, lon: number): number | undefined {
    const place = this.#places.nearest(lat, lon, coastKm);
    return place === undefined ? undefined : this.#places.countryOf(place);
  }

  #reached(lat: number, lon: number, country: number, id: number): Reached {
    const near = this.#places.positionOf(id);
    const { region, part_of } = this.#place.get(id)!;
    const { population } = this.#place.get(part_of ?? id)!;
    return { country, region, population, km: distance(lon, lat, near.lon, near.lat) };
  }

  /** @param city a large one that is answered instead of the town. */
  #answer(country: number, id: number, detail: Detail, city?: number): AdminPlace {
    const kind = city === undefined ? details.indexOf(detail) : details.length + city;
    const key = kind * this.#places.size + id;
    let answer = this.#kept.get(key);
    if (answer === undefined) {
      answer = reading(() => this.#read(country, id, detail, city));
      if (this.#kept.size >= mostKept) this.#kept.clear();
      this.#kept.set(key, answer);
    }
    return answer;
  }

  #read(country: number, id: number, detail: Detail, city?: number): AdminPlace {
    const { code, name } = this.#countries.get(country)!;
    const answer = { ...nowhere, country: name, country_id: code };
    if (detail === 'country') return answer;
    const nearest = this.#place.get(id)!;
    // A section of a town answers as the town.
    const townId = detail === 'town' ? (city ?? nearest.part_of ?? id) : id;
    const town = townId === id ? nearest : this.#place.get(townId)!;
    const area = this.#regions.get(town.region ?? nearest.region ?? -1);
    const region = area && { region: area.name, region_id: area.code };
    if (detail === 'region') return { ...answer, ...region };
    const local_admin = town === nearest ? '' : nearest.name;
    return { ...answer, ...region, local_admin, locality: town.name, locality_id: String(town.id) };
  }
}

/** Parts of a place; each has a name and an id. */
const details = ['country', 'region', 'town'] as const;
type Detail = (typeof details)[number];

function preparePlace(db: Database) {
  const places = generationQueries
    .selectFrom('place')
    .select(['id', 'name', 'region', 'population', 'part_of']);
  return prepare(db, (id: number) => places.where('id', '=', id));
}

function readAreas(db: Database, table: 'country' | 'region'): Map<number, Area> {
  const areas = prepare(db, () =>
    generationQueries.selectFrom(table).select(['id', 'code', 'name']),
  );
  return new Map(areas.all().map((area) => [area.id, area]));
}
