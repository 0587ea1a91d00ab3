import { PbfWriter } from 'pbf';

/** Properties of a feature. */
export type TileProperties = Readonly<Record<string, string | number | boolean>>;

/** Kinds of geometry in Mapbox Vector Tile 2.1, section 4.3.4. */
export const geometryKinds = { point: 1, line: 2 } as const;

export interface TileFeature {
  readonly kind: (typeof geometryKinds)[keyof typeof geometryKinds];
  /** Commands and parameters of section 4.3. */
  readonly geometry: number[];
  readonly properties: TileProperties;
}

export interface TileContent {
  readonly name: string;
  readonly features: readonly TileFeature[];
}

/** Width and height of a tile in its own units. */
export const tileExtent = 4_096;

const fields = {
  tile: { layer: 3 },
  layer: { name: 1, feature: 2, key: 3, value: 4, extent: 5, version: 15 },
  feature: { tags: 2, kind: 3, geometry: 4 },
  value: { string: 1, double: 3, uint: 5, boolean: 7 },
} as const;

/** Used for every tile: a thread writes one at a time, and one that grows anew leaves twice its size to be collected. */
let room: Uint8Array = new Uint8Array(65_536);

/** Writes a vector tile; layers without features are left out. The bytes are good until the next one. */
export function writeTile(layers: readonly TileContent[]): Uint8Array {
  const pbf = new PbfWriter(room);
  for (const layer of layers)
    if (layer.features.length > 0) pbf.writeMessage(fields.tile.layer, writeLayer, layer);
  const tile = pbf.finish();
  room = pbf.buf;
  return tile;
}

function writeLayer({ name, features }: TileContent, pbf: PbfWriter): void {
  const keys = new Map<string, number>();
  const values = new Map<string | number | boolean, number>();
  pbf.writeVarintField(fields.layer.version, 2);
  pbf.writeStringField(fields.layer.name, name);
  pbf.writeVarintField(fields.layer.extent, tileExtent);
  for (const feature of features) {
    const tags = Object.entries(feature.properties).flatMap(([key, value]) => [
      numberOf(keys, key),
      numberOf(values, value),
    ]);
    pbf.writeMessage(fields.layer.feature, writeFeature, { feature, tags });
  }
  for (const key of keys.keys()) pbf.writeStringField(fields.layer.key, key);
  for (const value of values.keys()) pbf.writeMessage(fields.layer.value, writeValue, value);
}

function numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

function writeFeature(
  { feature, tags }: { readonly feature: TileFeature; readonly tags: number[] },
  pbf: PbfWriter,
): void {
  pbf.writePackedVarint(fields.feature.tags, tags);
  pbf.writeVarintField(fields.feature.kind, feature.kind);
  pbf.writePackedVarint(fields.feature.geometry, feature.geometry);
}

function writeValue(value: string | number | boolean, pbf: PbfWriter): void {
  if (typeof value === 'string') pbf.writeStringField(fields.value.string, value);
  else if (typeof value === 'boolean') pbf.writeBooleanField(fields.value.boolean, value);
  else if (Number.isSafeInteger(value) && value >= 0)
    pbf.writeVarintField(fields.value.uint, value);
  else pbf.writeDoubleField(fields.value.double, value);
}
