import { limits } from './limits.ts';
import { isWellFormed } from './text.ts';

/** A page about a waypoint, a track or a route. Apart from waypoint.ts, because imports need none of its schemas. */
export interface Link {
  readonly href: string;
  readonly text?: string | undefined;
}

/** Addresses that may be linked to; others could run something when clicked. */
const linkPattern = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu;

/** Whether a link may be stored. */
export function isLink({ href }: Link): boolean {
  return linkPattern.test(href) && isWellFormed(href) && href.length <= limits.linkCodePoints;
}
