import type { Bbox } from '../model/schema.ts';
import type { Place } from '../model/waypoint.ts';
import { areaOf, seek, type PlaceColumns } from './place-columns.ts';
import type { SearchSnapshot } from './waypoint-index.ts';
import { zRanges, type PositionRange } from './z-ranges.ts';

/** A waypoint that is shown. */
export interface FoundWaypoint extends Place {
  readonly bookmark: boolean;
}

/** The waypoints of a bounding box, in no order; undefined if they are more than so many. */
export function waypointsIn(
  { library, suppressed, bookmarks }: SearchSnapshot,
  bbox: Bbox,
  atMost: number,
): FoundWaypoint[] | undefined {
  const { data } = library;
  const area = areaOf(bbox);
  const found: FoundWaypoint[] = [];
  const look = (
    places: PlaceColumns,
    ranges: readonly PositionRange[],
    read: (at: number) => FoundWaypoint,
  ): boolean => {
    for (const [from, to] of ranges)
      for (let at = seek(places, area, from, to, true); at < to;) {
        if (found.length === atMost) return false;
        found.push(read(at));
        at = seek(places, area, at + 1, to, true);
      }
    return true;
  };
  const isWhole =
    look({ ...data, suppressed }, zRanges(data, bbox), (at) => ({
      ...library.place(at),
      bookmark: false,
    })) &&
    look(bookmarks, [[0, bookmarks.count]], (at) => ({
      name: bookmarks.names[at]!,
      lat: bookmarks.lat[at]!,
      lon: bookmarks.lon[at]!,
      bookmark: true,
    }));
  return isWhole ? found : undefined;
}
