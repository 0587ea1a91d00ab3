import type { IdentityKey } from '../model/identity.ts';

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

/** The columns of a table in a query, which `eb.refTuple` compares with those of another. */
export function identityOfRow<Table extends string>(table: Table) {
  return [`${table}.name`, `${table}.lat_e6`, `${table}.lon_e6`] as const;
}
