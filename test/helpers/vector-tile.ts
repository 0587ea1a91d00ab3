import { PbfReader } from 'pbf';

/** A feature of a decoded vector tile. */
export interface DecodedFeature {
  readonly type: 'point' | 'line';
  /** Lines, or one list of points, in units of the tile. */
  readonly geometry: readonly (readonly [x: number, y: number])[][];
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Features by the name of their layer. */
export type DecodedTile = Readonly<Record<string, readonly DecodedFeature[]>>;

/** Decodes a Mapbox Vector Tile, and throws where it is not as version 2.1 says. */
export function decodeTile(bytes: Uint8Array): DecodedTile {
  const pbf = new PbfReader(bytes);
  const layers: Record<string, DecodedFeature[]> = {};
  while (pbf.pos < pbf.length) {
    const field = pbf.nextField();
    if (field !== 3) throw new Error(`a tile with field ${field}`);
    const { name, features } = decodeLayer(new PbfReader(pbf.readBytes()));
    if (layers[name] !== undefined) throw new Error(`two layers ${name}`);
    layers[name] = features;
  }
  return layers;
}

function decodeLayer(pbf: PbfReader): { name: string; features: DecodedFeature[] } {
  let name = '';
  let extent = 0;
  let version = 0;
  const keys: string[] = [];
  const values: unknown[] = [];
  const features: Uint8Array[] = [];
  while (pbf.pos < pbf.length) {
    const field = pbf.nextField();
    if (field === 1) name = pbf.readString();
    else if (field === 2) features.push(pbf.readBytes());
    else if (field === 3) keys.push(pbf.readString());
    else if (field === 4) values.push(decodeValue(new PbfReader(pbf.readBytes())));
    else if (field === 5) extent = pbf.readVarint();
    else if (field === 15) version = pbf.readVarint();
    else throw new Error(`a layer with field ${field}`);
  }
  if (version !== 2 || extent !== 4_096) throw new Error(`version ${version}, extent ${extent}`);
  return {
    name,
    features: features.map((bytes) => decodeFeature(new PbfReader(bytes), keys, values)),
  };
}

function decodeValue(pbf: PbfReader): unknown {
  const field = pbf.nextField();
  if (field === 1) return pbf.readString();
  if (field === 3) return pbf.readDouble();
  if (field === 5) return pbf.readVarint();
  if (field === 7) return pbf.readBoolean();
  throw new Error(`a value with field ${field}`);
}

function decodeFeature(pbf: PbfReader, keys: readonly string[], values: readonly unknown[]) {
  let kind = 0;
  let tags: number[] = [];
  let numbers: number[] = [];
  while (pbf.pos < pbf.length) {
    const field = pbf.nextField();
    if (field === 2) tags = pbf.readPackedVarint([]) as number[];
    else if (field === 3) kind = pbf.readVarint();
    else if (field === 4) numbers = pbf.readPackedVarint([]) as number[];
    else throw new Error(`a feature with field ${field}`);
  }
  const type = ([undefined, 'point', 'line'] as const)[kind];
  if (type === undefined) throw new Error(`a feature of kind ${kind}`);
  return { type, geometry: decodeGeometry(numbers, type), properties: describe(tags) };

  function describe(places: readonly number[]): Record<string, unknown> {
    const pairs = places.flatMap((key, at) => (at % 2 === 0 ? [[key, places[at + 1]!]] : []));
    if (pairs.some(([key, value]) => key! >= keys.length || value! >= values.length))
      throw new Error('a tag of nothing');
    return Object.fromEntries(pairs.map(([key, value]) => [keys[key!]!, values[value!]]));
  }
}

function decodeGeometry(numbers: readonly number[], type: DecodedFeature['type']) {
  const lines: (readonly [number, number])[][] = [];
  let [x, y] = [0, 0];
  for (let at = 0; at < numbers.length;) {
    const [id, count] = [numbers[at]! & 7, numbers[at]! >> 3];
    at += 1;
    if (id === 1) lines.push([]);
    else if (id !== 2) throw new Error(`command ${id}`);
    for (let step = 0; step < count; step += 1, at += 2) {
      const [dx, dy] = [unzigzag(numbers[at]!), unzigzag(numbers[at + 1]!)];
      if (id === 2 && dx === 0 && dy === 0) throw new Error('a step to nowhere');
      x += dx;
      y += dy;
      lines.at(-1)!.push([x, y]);
    }
  }
  const isGood = type === 'point' ? lines.length === 1 : lines.every((line) => line.length > 1);
  if (!isGood || lines.length === 0) throw new Error(`a ${type} that is none`);
  return lines;
}

function unzigzag(number: number): number {
  return (number >>> 1) ^ -(number & 1);
}
