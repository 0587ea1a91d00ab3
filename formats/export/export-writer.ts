import type { LinePoint, LinePoints } from '../../model/recording.ts';
import type { Waypoint } from '../../model/waypoint.ts';

/** How a format is written in pieces, each text following the one before: first waypoints, then routes, then tracks. */
export interface ExportWriter {
  readonly head: string;
  waypoint(waypoint: Waypoint): string;
  points(points: LinePoints): Iterable<string>;
  /** Writes the rest and the end of the document. */
  end(): Iterable<string>;
}

/** The tags of a waypoint as the user wrote them. */
export function rawTags({ tags = [] }: Waypoint): string[] {
  return tags.map((tag) => (typeof tag === 'string' ? tag : tag.raw));
}

/** Points that a writer holds at most, where a format wants them after their times, or in one list. */
const heldPoints = 65_536;
/** Points written in one step of a millisecond or two. */
const stepPoints = 1_024;

/** Writes many points step by step. */
export function* eachPoint(
  points: readonly LinePoint[],
  separator: string,
  write: (point: LinePoint) => string,
): Generator<string> {
  for (let at = 0; at < points.length; at += stepPoints) {
    const texts = points.slice(at, at + stepPoints).map(write);
    yield (at === 0 ? '' : separator) + texts.join(separator);
  }
}

/** Points of one segment, all with a time or all without. */
export interface HeldPoints extends LinePoints {
  readonly isTimed: boolean;
}

/** Gathers points of one segment that all have a time or all have none, and hands them on together. */
export class PointHolder {
  readonly #write: (held: HeldPoints) => Iterable<string>;
  #held: LinePoint[] = [];
  #of: LinePoints | undefined;

  constructor(write: (held: HeldPoints) => Iterable<string>) {
    this.#write = write;
  }

  *add(given: LinePoints): Generator<string> {
    for (const point of given.points) {
      const { line, segment } = this.#of ?? given;
      const [last] = this.#held;
      const isTimed = !Number.isNaN(point.timeMs);
      const isOther = line !== given.line || segment !== given.segment;
      const goesOn = !isOther && (last === undefined || isTimed === !Number.isNaN(last.timeMs));
      if (!goesOn || this.#held.length === heldPoints) yield* this.flush();
      this.#of = given;
      this.#held.push(point);
    }
  }

  *flush(): Generator<string> {
    const [first] = this.#held;
    if (this.#of === undefined || first === undefined) return;
    const isTimed = !Number.isNaN(first.timeMs);
    yield* this.#write({ ...this.#of, points: this.#held, isTimed });
    this.#held = [];
  }
}
