import { identityText, keyOf, keysAround, placeText } from '../../model/identity.ts';
import type { Place } from '../../model/waypoint.ts';

/** The key of a place, or a neighbouring one that programs round it to, among keys. */
export function near(
  place: Place & { readonly isCrowded?: boolean },
  keys: { has(key: string): boolean },
): string | undefined {
  const own = placeText(place);
  if (keys.has(own)) return own;
  // Where the file itself holds neighbours, these are meant to be several.
  if (place.isCrowded === true) return undefined;
  for (const around of keysAround(keyOf(place))) {
    const key = identityText(around);
    if (keys.has(key)) return key;
  }
  return undefined;
}
