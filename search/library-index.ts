import { foldName } from '../model/fold.ts';
import { identityOf, isSameIdentity, type IdentityKey } from '../model/identity.ts';
import { longitudeRanges, type LongitudeRange } from '../model/bbox.ts';
import type { Place } from '../model/waypoint.ts';
import type { SearchIndexData } from './index/data.ts';

const partsPerDegree = 1_000_000;

/** Reads a search index of imported waypoints; nothing in it ever changes. */
export class LibraryIndex {
  readonly data: SearchIndexData;
  readonly folded: Buffer;
  readonly #names: Buffer;

  constructor(data: SearchIndexData) {
    this.data = data;
    this.folded = bufferOver(data.folded);
    this.#names = bufferOver(data.names);
  }

  /** The name at a position as it stands between the quotes of a JSON string. */
  jsonName(position: number): string {
    const { nameStart } = this.data;
    return this.#names.toString('utf8', nameStart[position], nameStart[position + 1]);
  }

  name(position: number): string {
    const text = this.jsonName(position);
    return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
  }

  place(position: number): Place {
    const { lat, lon } = this.data;
    return { name: this.name(position), lat: lat[position]!, lon: lon[position]! };
  }

  /** Finds the position of the waypoint of exactly this identity. */
  find(key: IdentityKey): number | undefined {
    // The zero byte that ends each name makes a comparison one of whole names.
    const target = Buffer.from(`${foldName(key.name)}\0`);
    const south = (key.latE6 - 1) / partsPerDegree;
    const north = (key.latE6 + 1) / partsPerDegree;
    const west = (key.lonE6 - 1) / partsPerDegree;
    const east = (key.lonE6 + 1) / partsPerDegree;
    for (const range of longitudeRanges([west, south, east > 180 ? east - 360 : east, north])) {
      const position = range && this.#findWithin(key, target, south, north, range);
      if (position !== undefined) return position;
    }
    return undefined;
  }

  /** The first rank whose folded name, cut at the length of `target`, is not below it (or, `beyond`, is above it). */
  lowerRank(target: Uint8Array, beyond = false): number {
    return firstTrue(this.data.count, (rank) => {
      const order = this.#compare(rank, target);
      return beyond ? order > 0 : order >= 0;
    });
  }

  /** The rank of the name that a byte of `folded` belongs to. */
  rankAt(place: number): number {
    const { foldedStart, count } = this.data;
    return firstTrue(count, (rank) => foldedStart[rank + 1]! > place);
  }

  /**
   * Ranks of one name ascend by lat, then lon. Each search jumps over the longitudes out of range of one latitude, so
   * that thousands of waypoints of one name on one parallel cost no more than a few.
   */
  #findWithin(
    key: IdentityKey,
    target: Uint8Array,
    south: number,
    north: number,
    [west, east]: LongitudeRange,
  ): number | undefined {
    const { data } = this;
    let rank = this.#seek(target, south, west);
    while (rank < data.count && this.#compare(rank, target) === 0) {
      const position = data.byName[rank]!;
      const lat = data.lat[position]!;
      const lon = data.lon[position]!;
      if (lat > north) break;
      if (lon < west) rank = this.#seek(target, lat, west);
      else if (lon > east) rank = this.#seek(target, lat, Infinity);
      else if (isSameIdentity(key, identityOf(this.name(position), lat, lon))) return position;
      else rank += 1;
    }
    return undefined;
  }

  /** The first rank not below a name (with its zero byte), lat and lon. */
  #seek(target: Uint8Array, lat: number, lon: number): number {
    const { data } = this;
    return firstTrue(data.count, (rank) => {
      const order = this.#compare(rank, target);
      if (order !== 0) return order > 0;
      const position = data.byName[rank]!;
      const rankLat = data.lat[position]!;
      return rankLat > lat || (rankLat === lat && data.lon[position]! >= lon);
    });
  }

  /** Compares the beginning of a folded name with `target`; 0 if it begins with it. */
  #compare(rank: number, target: Uint8Array): number {
    const { folded, foldedStart } = this.data;
    const start = foldedStart[rank]!;
    const end = foldedStart[rank + 1]!;
    for (let i = 0; i < target.length; i += 1) {
      // Past its zero byte the name is over, and below any longer target.
      if (start + i >= end) return -1;
      const order = folded[start + i]! - target[i]!;
      if (order !== 0) return order;
    }
    return 0;
  }
}

/** Finds the smallest number in 0…`count` for which `test` holds, if it holds for all greater ones too. */
export function firstTrue(count: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
