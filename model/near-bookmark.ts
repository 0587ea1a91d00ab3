import type { Position } from './position.ts';
import type { Place } from './waypoint.ts';

/** A bookmark names what is at most so far from it, metres. */
const namedM = 150;
const metresPerDegree = 111_195;
const rowDegrees = namedM / metresPerDegree;

/** Finds the nearest bookmark within 150 m of a position: it names what was done there. */
export function bookmarksNear<T extends Place>(
  bookmarks: readonly T[],
): (lat: number, lon: number) => T | undefined {
  const rows = Map.groupBy(bookmarks, ({ lat }) => Math.floor(lat / rowDegrees));
  return (lat, lon) => {
    const row = Math.floor(lat / rowDegrees);
    let [nearest, leastM]: [T | undefined, number] = [undefined, namedM];
    for (const bookmark of [row - 1, row, row + 1].flatMap((at) => rows.get(at) ?? [])) {
      const metres = metresApart(bookmark, { lat, lon });
      // Of equally near ones the first.
      if (metres < leastM || (nearest === undefined && metres === leastM))
        [nearest, leastM] = [bookmark, metres];
    }
    return nearest;
  };
}

/** Right to half a percent within a hundred kilometres, on both sides of 180°. */
export function metresApart(one: Position, other: Position): number {
  const turn = Math.abs(one.lon - other.lon);
  const middle = (one.lat + other.lat) / 2;
  const east = Math.min(turn, 360 - turn) * Math.cos((middle * Math.PI) / 180);
  return Math.hypot(one.lat - other.lat, east) * metresPerDegree;
}
