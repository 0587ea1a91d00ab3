import type { Waypoint } from '../model/waypoint.ts';

/** What a waypoint may have beside its name and position. */
const optionalNames = ['ele', 'time', 'desc', 'sym', 'type', 'cmt', 'src', 'links'] as const;
/** Those of them that most waypoints lack: kept together, as JSON, because a column costs every row a little. */
const moreNames = ['sym', 'type', 'cmt', 'src', 'links'] as const;

export type OptionalFields = Partial<Pick<Waypoint, (typeof optionalNames)[number]>>;
export type MoreFields = Pick<OptionalFields, (typeof moreNames)[number]>;

type Nullable<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** The optional fields that are there: null, undefined, empty texts and lists are left out, and all that is none of them. */
export function optionalFields(fields: Nullable<OptionalFields>): OptionalFields {
  return present(fields, optionalNames);
}

/** The text of a column `more`; null without any of its fields. */
export function moreText(fields: Nullable<MoreFields>): string | null {
  const more = present(fields, moreNames);
  return Object.keys(more).length === 0 ? null : JSON.stringify(more);
}

/** Reads a column `more`. */
export function readMore(text: string | null): MoreFields {
  // Sound: written by moreText.
  return text === null ? {} : (JSON.parse(text) as MoreFields);
}

function present<Name extends keyof OptionalFields>(
  fields: Nullable<OptionalFields>,
  names: readonly Name[],
): Pick<OptionalFields, Name> {
  const there = names
    .map((name) => [name, fields[name]] as const)
    .filter(([, value]) => value !== null && value !== undefined && !isEmpty(value));
  return Object.fromEntries(there) as Pick<OptionalFields, Name>;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}
