import * as z from 'zod';
import { limits } from './limits.ts';
import { isLink } from './link.ts';
import {
  lat,
  list,
  lon,
  note,
  queryBbox,
  queryBoolean,
  queryInteger,
  queryLat,
  queryLon,
  text,
  time,
} from './schema.ts';
import { tagInput, tagListSchema } from './tag.ts';
import { fieldNames, waypointFields, type FieldKind, type FieldName } from './waypoint-fields.ts';

const fieldText = text(limits.fieldCodePoints, 0);

const linkSchema = z.object({
  href: z
    .string()
    .trim()
    .refine((href) => isLink({ href }))
    .meta({ maxLength: limits.linkCodePoints, description: 'http, https or mailto.' }),
  text: fieldText.optional(),
});

/** A schema for each optional field, by its kind. */
function fieldShape<Schemas extends Readonly<Record<FieldKind, z.ZodType>>>(schemas: Schemas) {
  type Shape = { [Name in FieldName]: Schemas[(typeof waypointFields)[Name]['kind']] };
  const shape = fieldNames.map((name) => {
    const field: { readonly kind: FieldKind; readonly description?: string } = waypointFields[name];
    const { kind, description } = field;
    const schema = schemas[kind];
    return [name, description === undefined ? schema : schema.meta({ description })];
  });
  return Object.fromEntries(shape) as Shape;
}

const answeredText = z.string().optional();
const answeredFields = fieldShape({
  number: z.number().optional(),
  time: z.iso.datetime().optional(),
  text: answeredText,
  note: answeredText,
  links: z.array(z.object({ href: z.string(), text: answeredText })).optional(),
});

/** A waypoint as answers carry it; absent optional fields are left out. */
export const waypointSchema = z
  .object({
    name: z.string(),
    lat,
    lon,
    ...answeredFields,
    bookmark: z.boolean(),
    tags: tagListSchema.optional(),
  })
  .meta({ id: 'Waypoint' });
export type Waypoint = z.output<typeof waypointSchema>;

/** A place as a request names it: what identifies a waypoint. */
export interface Place {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

const nameText = text(limits.nameCodePoints);
const noteText = note(limits.descCodePoints);
const linkList = list(linkSchema, limits.links);

export const newBookmarkSchema = z.object({
  name: nameText,
  lat,
  lon,
  ...fieldShape({
    number: z.number().optional(),
    time: time.optional(),
    text: fieldText.optional(),
    note: noteText.optional(),
    links: linkList.optional(),
  }),
  tags: list(tagInput, limits.tagsPerRequest).optional(),
});
export type NewBookmark = z.output<typeof newBookmarkSchema>;

/** A change of a bookmark; `null` clears an optional field. */
export const bookmarkChangeSchema = z
  .object({
    oldName: nameText,
    lat,
    lon,
    newName: nameText.optional(),
    newLat: lat.optional(),
    newLon: lon.optional(),
    ...fieldShape({
      number: z.number().nullish(),
      time: time.nullish(),
      text: fieldText.nullish(),
      note: noteText.nullish(),
      links: linkList.nullish(),
    }),
  })
  .refine(
    ({ oldName: _name, lat: _lat, lon: _lon, ...changes }) =>
      Object.values(changes).some((value) => value !== undefined),
    { path: ['newName'] },
  );
export type BookmarkChange = z.output<typeof bookmarkChangeSchema>;

export const renamedSchema = z.object({
  renamed: z.boolean(),
  oldName: z.string(),
  newName: z.string(),
  lat,
  lon,
});

/** Decision about a bookmarks file that would delete many bookmarks. */
export const mergeDecisionSchema = z.object({
  accept: z.boolean().meta({ description: 'False writes it anew; a copy is kept.' }),
});

export const mergeDecidedSchema = z.object({
  decided: z.boolean().meta({ description: 'False when none was waiting.' }),
});

export const deletedBookmarkSchema = z.object({ deleted: z.boolean(), name: z.string(), lat, lon });

export const shownWaypointSchema = z.object({ shown: z.boolean(), name: z.string(), lat, lon });

export const hiddenQuery = z.object({
  limit: queryInteger(1, limits.hiddenMax).optional(),
  cursor: queryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
});
export type HiddenQuery = z.output<typeof hiddenQuery>;

/** Hidden waypoints, newest first. */
export const hiddenSchema = z.object({
  hidden: z.array(z.object({ name: z.string(), lat, lon, tags: z.array(z.string()).optional() })),
  next_cursor: z.int().optional(),
});
export type HiddenAnswer = z.output<typeof hiddenSchema>;

export const tagChangeSchema = z.object({
  tag: text(limits.tagCodePoints),
  newTag: text(limits.tagCodePoints),
});

export const renamedTagSchema = z.object({
  renamed: z.boolean(),
  waypoints: z.int().min(0).meta({ description: 'How many had the tag.' }),
});
export type RenamedTag = z.output<typeof renamedTagSchema>;

export const placeQuery = z.object({ name: nameText, lat: queryLat, lon: queryLon });
export const emojiQuery = z.object({ emoji: queryBoolean.optional() });

export const waypointsQuery = z.object({
  emoji: queryBoolean.optional(),
  bookmarksOnly: queryBoolean.optional(),
  bbox: queryBbox.optional(),
  tag: text(limits.tagCodePoints).optional(),
  format: z.enum(['json', 'geojson']).optional(),
});
export type WaypointsQuery = z.output<typeof waypointsQuery>;

const featureSchema = z.object({
  type: z.literal('Feature'),
  geometry: z.object({ type: z.literal('Point'), coordinates: z.array(z.number()) }),
  properties: waypointSchema.omit({ lat: true, lon: true }),
});

/** All waypoints: a bare array, or a GeoJSON FeatureCollection (RFC 7946) with `format=geojson`. */
export const waypointsSchema = z
  .union([
    z.array(waypointSchema),
    z.object({ type: z.literal('FeatureCollection'), features: z.array(featureSchema) }),
  ])
  .meta({ mediaTypes: ['application/json', 'application/geo+json'] });

export const waypointTagsSchema = z.object({ name: z.string(), lat, lon, tags: tagListSchema });
export const distinctTagsSchema = z.object({ distinct: z.literal(true), tags: tagListSchema });

/** Answer of GET /api/tags: the tags of one waypoint, or all tags in use. */
export const tagsAnswerSchema = z.union([waypointTagsSchema, distinctTagsSchema]);

export const tagsQuery = z.object({
  name: nameText.optional(),
  lat: queryLat.optional(),
  lon: queryLon.optional(),
  distinct: queryBoolean.optional(),
  counts: queryBoolean.optional(),
  emoji: queryBoolean.optional(),
});
export type TagsQuery = z.output<typeof tagsQuery>;

export const newTagsSchema = z
  .object({
    name: nameText,
    lat,
    lon,
    tags: list(tagInput, limits.tagsPerRequest, 1).optional(),
    tag: tagInput.optional(),
  })
  .refine(({ tags, tag }) => tags !== undefined || tag !== undefined, { path: ['tags'] });

export const deleteTagQuery = z.object({
  name: nameText,
  lat: queryLat,
  lon: queryLon,
  tag: text(limits.tagCodePoints),
  emoji: queryBoolean.optional(),
});
