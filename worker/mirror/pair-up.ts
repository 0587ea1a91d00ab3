import { placeText } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';
import type { TaggedEntries } from '../../storage/waypoints/bookmark-history.ts';
import type { EditedWaypoint } from './edited-waypoints.ts';
import { near } from './place-keys.ts';

interface Pairs {
  /** By the key in the ancestor. */
  readonly pairs: readonly (readonly [key: string, waypoint: EditedWaypoint])[];
  readonly added: readonly EditedWaypoint[];
  /** Keys of the ancestor that the file has no more. */
  readonly missing: readonly string[];
}

/** Finds what became of each entry: by its identity or a rounded one; else by its position, else by its name, if but one. */
export function pairUp(file: readonly EditedWaypoint[], ancestor: TaggedEntries): Pairs {
  const missing = new Map(ancestor);
  const pairs: [string, EditedWaypoint][] = [];
  let rest = take(file, (waypoint) =>
    missing.has(placeText(waypoint)) ? placeText(waypoint) : undefined,
  );
  rest = take(rest, (waypoint) => near(waypoint, missing));
  for (const trait of [positionOf, nameOf]) {
    const old = single([...missing].map(([key, entry]) => [trait(entry), key] as const));
    const fresh = single(rest.map((waypoint) => [trait(waypoint), waypoint] as const));
    rest = take(rest, (waypoint) =>
      fresh.get(trait(waypoint)) === waypoint ? old.get(trait(waypoint)) : undefined,
    );
  }
  return { pairs, added: rest, missing: [...missing.keys()] };

  function take(
    from: readonly EditedWaypoint[],
    find: (waypoint: EditedWaypoint) => string | undefined,
  ): EditedWaypoint[] {
    return from.filter((waypoint) => {
      const key = find(waypoint);
      const entry = key === undefined ? undefined : missing.get(key);
      if (key === undefined || entry === undefined) return true;
      if (entry.isImported !== (waypoint.isImported === true)) return true;
      missing.delete(key);
      pairs.push([key, waypoint]);
      return false;
    });
  }
}

/** What has a trait that no other has. */
function single<T>(list: readonly (readonly [trait: string, value: T])[]): Map<string, T> {
  const found = new Map<string, T>();
  const repeated = new Set<string>();
  for (const [trait, value] of list) {
    if (found.has(trait)) repeated.add(trait);
    found.set(trait, value);
  }
  for (const trait of repeated) found.delete(trait);
  return found;
}

function positionOf({ lat, lon }: Place): string {
  return placeText({ name: '', lat, lon });
}

function nameOf({ name }: Place): string {
  return name;
}
