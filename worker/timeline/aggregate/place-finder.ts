import { nowhere, type AdminLookup } from '../../../model/admin-place.ts';
import { unitsPerDegree, type Place } from '../earth.ts';
import type { Calendar } from '../calendar/calendar.ts';
import type { Spot } from './presence/span.ts';
import type { AdminRows } from './admin-rows.ts';

/** Side of the squares that share an answer on the way: about 55 m. */
const cellUnits = 5_000;
const cellsAround = 3_600_000_000 / cellUnits;
/** Answers that are kept: the streets of a life, some 20 MB. */
const keptCells = 100_000;

/** Finds the administrative unit and the time zone of a position. */
export class PlaceFinder {
  readonly #lookup: AdminLookup | undefined;
  readonly #rows: AdminRows;
  readonly #calendar: Calendar;
  readonly #cells = new Map<number, Spot>();

  /** @param lookup undefined where no generation could be opened. */
  constructor(lookup: AdminLookup | undefined, rows: AdminRows, calendar: Calendar) {
    this.#lookup = lookup;
    this.#rows = rows;
    this.#calendar = calendar;
  }

  /** Finds the place of an exact position. */
  at({ latE7, lonE7 }: Place): Spot {
    const place = this.#lookup?.find(latE7 / unitsPerDegree, lonE7 / unitsPerDegree) ?? nowhere;
    return { unit: this.#rows.unitOf(place), zone: this.#calendar.zoneAt(latE7, lonE7), lonE7 };
  }

  /** Finds the place of the middle of the small square around a position: people go the same ways again and again. */
  near({ latE7, lonE7 }: Place): Spot {
    const row = Math.floor(latE7 / cellUnits);
    const column = Math.floor(lonE7 / cellUnits);
    const cell = row * cellsAround + column;
    const known = this.#cells.get(cell);
    if (known !== undefined) return known;
    const half = cellUnits / 2;
    const spot = this.at({
      latE7: Math.min(row * cellUnits + half, 900_000_000),
      lonE7: Math.min(column * cellUnits + half, 1_800_000_000),
    });
    if (this.#cells.size >= keptCells) this.#cells.clear();
    this.#cells.set(cell, spot);
    return spot;
  }
}
