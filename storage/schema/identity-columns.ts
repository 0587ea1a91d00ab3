import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import {
  keyOf,
  nearestIdentity,
  neighbourKeys,
  type IdentityKey,
  type NeighbourKeys,
} from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { Prepared } from '../prepared.ts';

/** The identity of a waypoint (contract C) in a table, indexed wherever it is looked for. */
export interface IdentityColumns {
  name: string;
  lat_e6: number;
  lon_e6: number;
}

/** A key as values of the columns: those of a row to write, or those that `eb.and` makes a row match. */
export function identityColumns({ name, latE6, lonE6 }: IdentityKey): IdentityColumns {
  return { name, lat_e6: latE6, lon_e6: lonE6 };
}

/** The key of a row. */
export function toIdentityKey({ name, lat_e6, lon_e6 }: IdentityColumns): IdentityKey {
  return { name, latE6: lat_e6, lonE6: lon_e6 };
}

const names = ['name', 'lat_e6', 'lon_e6'] as const satisfies readonly (keyof IdentityColumns)[];

/** A condition for `where`, in queries whose tables A and B have these columns. */
type Condition<A extends string, B extends string> = <
  Db extends Record<A | B, IdentityColumns>,
  Table extends keyof Db,
>(
  eb: ExpressionBuilder<Db, Table>,
) => Expression<SqlBool>;

/** Whether rows of two tables are of one identity. */
export function sameIdentity<A extends string, B extends string>(a: A, b: B): Condition<A, B> {
  const columnsOf = (table: string) => sql.join(names.map((name) => sql.ref(`${table}.${name}`)));
  return () => sql`(${columnsOf(a)}) = (${columnsOf(b)})`;
}

/** Whether a row is of one of the neighbouring keys; `lonE6` is theirs. */
export function isNeighbour(
  { name, latE6Min, latE6Max }: NeighbourKeys,
  lonE6: NeighbourKeys['lonE6'],
) {
  // Lists, not ranges: an index seeks each of the nine keys, however many waypoints lie on one parallel.
  return sql<boolean>`name = ${name} AND lat_e6 IN (${latE6Min}, ${latE6Min} + 1, ${latE6Max})
    AND lon_e6 IN (${lonE6[0]}, ${lonE6[1]}, ${lonE6[2]})`;
}

/** A statement whose condition is {@link isNeighbour}. */
type FindNeighbours<Row> = Prepared<[keys: NeighbourKeys, lonE6: NeighbourKeys['lonE6']], Row>;

/** The row that is nearest to a place among those of its own and the neighbouring keys (contract C). */
export function findNearest<Row extends Pick<Place, 'lat' | 'lon'>>(
  place: Place,
  neighbours: FindNeighbours<Row>,
): Row | undefined {
  const keys = neighbourKeys(keyOf(place));
  return nearestIdentity(place.lat, place.lon, neighbours.all(keys, keys.lonE6));
}
