import {
  nowhere,
  placeLevels,
  type AdminPlace,
  type PlaceLevel,
} from '../../../model/admin-place.ts';
import type { Fix } from '../earth.ts';
import type { Stop } from './stop.ts';

/** The slowest moment in a unit without a stop. */
export interface Pass extends Fix {
  readonly speed: number;
  /** As Stop.wayBeforeM. */
  readonly wayM: number;
  readonly place: AdminPlace;
}

/** The recorded facts of one administrative unit so far. */
export interface AdminRow {
  readonly level: PlaceLevel;
  /** Names and ids down to the level. */
  readonly place: AdminPlace;
  visits: number;
  stopSeconds: number;
  bridgedSeconds: number;
  observations: number;
  readonly recordedDays: Set<number>;
  /** Without those that are recorded, too. */
  readonly inferredDays: Set<number>;
  nights: number;
  nightsInferred: number;
  readonly sources: Set<number>;
  firstMs: number;
  lastMs: number;
  /** Times of the inferred days; infinite without any. */
  inferredFromMs: number;
  inferredToMs: number;
  /** The latest of all stops found. */
  latest: Stop | undefined;
  pass: Pass | undefined;
}

/** A place and the rows it counts for, country first. */
export interface AdminUnit {
  readonly place: AdminPlace;
  readonly rows: readonly AdminRow[];
}

/** Observations as their unit counts them. */
export interface Recorded {
  readonly observations: number;
  readonly sources: Iterable<number>;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The rows of all administrative units that were visited or passed. Additions come in order of time. */
export class AdminRows {
  readonly #rows = new Map<string, AdminRow>();
  readonly #units = new Map<string, AdminUnit>();
  /** By level: the row of the last stop there. */
  readonly #visited = new Map<PlaceLevel, AdminRow>();

  /** Those that something of the period belongs to: others were met before or after it. */
  get rows(): AdminRow[] {
    return [...this.#rows.values()].filter(
      ({ observations, latest, recordedDays, inferredDays, nights }) =>
        observations + recordedDays.size + inferredDays.size + nights > 0 || latest !== undefined,
    );
  }

  unitOf(place: AdminPlace): AdminUnit {
    const key = `${keyOf(place)}\n${place.local_admin}`;
    const known = this.#units.get(key);
    if (known !== undefined) return known;
    const rows = placeLevels.flatMap((level) => this.#rowOf(level, place));
    const unit = { place, rows };
    this.#units.set(key, unit);
    return unit;
  }

  record({ rows }: AdminUnit, recorded: Recorded): void {
    for (const row of rows) {
      row.observations += recorded.observations;
      for (const source of recorded.sources) row.sources.add(source);
      row.firstMs = Math.min(row.firstMs, recorded.firstMs);
      row.lastMs = Math.max(row.lastMs, recorded.lastMs);
    }
  }

  stop({ rows }: AdminUnit, stop: Stop): void {
    for (const row of rows) {
      row.stopSeconds += stop.durationSeconds;
      row.bridgedSeconds += stop.bridgedSeconds;
      row.latest = stop;
      if (row.observations > 0) continue;
      // A silence that was bridged may reach over the whole period.
      row.firstMs = Math.min(row.firstMs, stop.firstMs);
      row.lastMs = Math.max(row.lastMs, stop.lastMs);
    }
    for (const level of placeLevels) {
      const row = rows.find((each) => each.level === level);
      this.#visit(level, row);
    }
  }

  /** Notes a moment on the way, where the unit may need one. */
  pass({ rows }: AdminUnit, pass: Pass): void {
    for (const row of rows) {
      if (row.latest === undefined && !(row.pass && row.pass.speed < pass.speed)) row.pass = pass;
    }
  }

  #visit(level: PlaceLevel, row: AdminRow | undefined): void {
    if (row === undefined) this.#visited.delete(level);
    else if (this.#visited.get(level) !== row) {
      row.visits += 1;
      this.#visited.set(level, row);
    }
  }

  /** No row for a region or locality that is unknown; what is in no known country has a row of its own. */
  #rowOf(level: PlaceLevel, place: AdminPlace): AdminRow[] {
    if (level !== 'country' && place[`${level}_id`] === '') return [];
    const names = namesDownTo(level, place);
    const key = `${level}\n${keyOf(names)}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return [known];
    const row: AdminRow = {
      level,
      place: names,
      visits: 0,
      stopSeconds: 0,
      bridgedSeconds: 0,
      observations: 0,
      recordedDays: new Set(),
      inferredDays: new Set(),
      nights: 0,
      nightsInferred: 0,
      sources: new Set(),
      firstMs: Number.POSITIVE_INFINITY,
      lastMs: Number.NEGATIVE_INFINITY,
      inferredFromMs: Number.POSITIVE_INFINITY,
      inferredToMs: Number.NEGATIVE_INFINITY,
      latest: undefined,
      pass: undefined,
    };
    this.#rows.set(key, row);
    return [row];
  }
}

function keyOf({ country_id, region_id, locality_id }: AdminPlace): string {
  return `${country_id}\n${region_id}\n${locality_id}`;
}

function namesDownTo(level: PlaceLevel, place: AdminPlace): AdminPlace {
  const { country, country_id, region, region_id } = place;
  if (level === 'locality') return { ...place, local_admin: '' };
  if (level === 'country') return { ...nowhere, country, country_id };
  return { ...nowhere, country, country_id, region, region_id };
}
