import type { Link } from './link.ts';

/** The values of each kind of field. A note may have several lines. */
interface FieldValues {
  number: number;
  /** ISO 8601, UTC. */
  time: string;
  text: string;
  note: string;
  links: Link[];
}

interface FieldDefinition {
  readonly kind: keyof FieldValues;
  /** Help of the option of `bookmark add` and `bookmark edit`. */
  readonly help: string;
  /** Description in OpenAPI, where the name is not enough. */
  readonly description?: string;
  /** Tracks and routes have it, too. */
  readonly ofLines?: true;
}

/**
 * The optional fields of a waypoint, in the order of answers. Schemas, types, rows, the merges of duplicates and of the
 * bookmarks file, exports, the GPX reader, the client and the options of the command line derive from this table. Names
 * are those of GPX 1.1, but for `links` (GPX: `link`).
 */
export const waypointFields = {
  ele: { kind: 'number', help: 'elevation', description: 'Elevation in metres.' },
  time: { kind: 'time', help: 'when, such as 2024-06-01T12:00:00Z' },
  desc: { kind: 'note', help: 'a short note', ofLines: true },
  sym: { kind: 'text', help: 'the name of a symbol', description: 'The name of a symbol.' },
  type: { kind: 'text', help: 'what kind of place it is', ofLines: true },
  cmt: {
    kind: 'note',
    help: 'a comment',
    description: 'A comment, as `desc` of several lines.',
    ofLines: true,
  },
  src: {
    kind: 'text',
    help: 'where its data are from',
    description: 'Where its data are from.',
    ofLines: true,
  },
  links: { kind: 'links', help: 'a page about it', ofLines: true },
} as const satisfies Readonly<Record<string, FieldDefinition>>;

type Fields = typeof waypointFields;
export type FieldName = keyof Fields;
/** Names of the fields that have a property. */
type NamesWith<Property> = {
  [Name in FieldName]: Fields[Name] extends Property ? Name : never;
}[FieldName];
export type FieldKind = Fields[FieldName]['kind'];
export type FieldNameOf<Kind extends FieldKind> = NamesWith<{ kind: Kind }>;
export type TextField = FieldNameOf<'text' | 'note'>;
export type LineField = NamesWith<{ ofLines: true }>;

export type WaypointFields = {
  [Name in FieldName]?: FieldValues[Fields[Name]['kind']] | undefined;
};

export const fieldNames = Object.keys(waypointFields) as readonly FieldName[];
export const textFields = fieldNames.filter(isTextField);

/** Whether tracks and routes have a field, too. */
export function isLineField(name: FieldName): name is LineField {
  return (waypointFields[name] as FieldDefinition).ofLines === true;
}

function isTextField(name: FieldName): name is TextField {
  const { kind } = waypointFields[name];
  return kind === 'text' || kind === 'note';
}
