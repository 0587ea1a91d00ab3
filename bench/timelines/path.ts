import type { Random } from '../random.ts';
import type { Customs } from './customs.ts';
import { metresBetween, moved, type Position } from './geometry.ts';

/** A way through streets. */
export class StreetPath {
  readonly metres: number;
  readonly #corners: readonly Position[];
  readonly #distances: readonly number[];

  constructor(random: Random, streets: Customs['streets'], from: Position, to: Position) {
    this.#corners = corners(random, streets, from, to);
    const distances = [0];
    for (let i = 1; i < this.#corners.length; i += 1) {
      distances.push(distances[i - 1]! + metresBetween(this.#corners[i - 1]!, this.#corners[i]!));
    }
    this.#distances = distances;
    this.metres = distances.at(-1)!;
  }

  /** @param metres from the start; beyond the end it is the end. */
  at(metres: number): Position {
    const index = this.#distances.findIndex((distance) => distance >= metres);
    if (index < 0) return this.#corners.at(-1)!;
    if (index === 0) return this.#corners[0]!;
    const [from, to] = [this.#distances[index - 1]!, this.#distances[index]!];
    const [a, b] = [this.#corners[index - 1]!, this.#corners[index]!];
    const share = to > from ? (metres - from) / (to - from) : 0;
    const lonStep = b.lon - a.lon - 360 * Math.round((b.lon - a.lon) / 360);
    return { lat: a.lat + (b.lat - a.lat) * share, lon: a.lon + lonStep * share };
  }
}

/** Corners beside the straight line: detours of a tenth to a third, as streets have. */
function corners(
  random: Random,
  streets: Customs['streets'],
  from: Position,
  to: Position,
): Position[] {
  const metres = metresBetween(from, to);
  const count = Math.min(400, Math.max(1, Math.round(metres / random.between(...streets.cornerM))));
  const aside = Math.min(streets.asideM, metres / 8);
  const north = (to.lat - from.lat) * 111_195;
  const lonStep = to.lon - from.lon - 360 * Math.round((to.lon - from.lon) / 360);
  const east = lonStep * 111_195 * Math.cos((from.lat * Math.PI) / 180);
  const result = [from];
  for (let i = 1; i <= count; i += 1) {
    const share = (i - random.between(0.2, 0.8)) / count;
    const [x, y] = [random.between(-aside, aside), random.between(-aside, aside)];
    result.push(moved(from, east * share + x, north * share + y));
  }
  result.push(to);
  return result;
}
