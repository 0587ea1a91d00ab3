import { fieldNames, type FieldName, type WaypointFields } from '../model/waypoint-fields.ts';

type Nullable<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** The optional fields that are present: without null, undefined, empty texts, empty lists and any other property. */
export function optionalFields(fields: Nullable<WaypointFields>): WaypointFields {
  const present: Record<string, unknown> = {};
  for (const name of fieldNames) if (!isEmpty(fields[name])) present[name] = fields[name];
  return present;
}

/**
 * The columns of `bookmarks` for fields. Most bookmarks lack most of them: those without a column are JSON in `more`, null
 * if there are none.
 */
export function toFieldColumns(fields: Nullable<WaypointFields>) {
  const { ele = null, time = null, desc = null, ...others } = optionalFields(fields);
  const more = Object.keys(others).length === 0 ? null : JSON.stringify(others);
  return { ele, time, desc, more };
}

/** Reads the columns of `bookmarks`. */
export function fromFieldColumns(row: ReturnType<typeof toFieldColumns>): WaypointFields {
  const { more, ...columns } = row;
  // Sound: written by toFieldColumns.
  const others = more === null ? {} : (JSON.parse(more) as WaypointFields);
  return { ...optionalFields(columns), ...others };
}

function isEmpty(value: WaypointFields[FieldName] | null): boolean {
  const isNone = value === null || value === undefined || value === '';
  return isNone || (Array.isArray(value) && value.length === 0);
}
