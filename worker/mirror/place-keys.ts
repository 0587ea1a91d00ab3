import { identityOf, identityText, neighbourKeys } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';

/** A place alone. */
export function placeOf({ name, lat, lon }: Place): Place {
  return { name, lat, lon };
}

/** The identity of a place, as text. */
export function keyOf({ name, lat, lon }: Place): string {
  return identityText(identityOf(name, lat, lon));
}

/** The key of a place, or a neighbouring one that programs round it to, among keys. */
export function near(
  { name, lat, lon, isCrowded = false }: Place & { readonly isCrowded?: boolean },
  keys: { has(key: string): boolean },
): string | undefined {
  const own = identityOf(name, lat, lon);
  if (keys.has(identityText(own))) return identityText(own);
  // Where the file itself holds neighbours, these are meant to be several.
  if (isCrowded) return undefined;
  const { latE6Min, latE6Max, lonE6: lonsE6 } = neighbourKeys(own);
  for (let latE6 = latE6Min; latE6 <= latE6Max; latE6 += 1) {
    for (const lonE6 of lonsE6) {
      const key = identityText({ name: own.name, latE6, lonE6 });
      if (keys.has(key)) return key;
    }
  }
  return undefined;
}
