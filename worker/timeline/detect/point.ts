/** Value of `kind` for a timed waypoint; track points have 0. */
export const waypointKind = 1;

/** One observation. Objects are used again and again: copy one to keep it. */
export class Point {
  /** ms since 1970 UTC. */
  timeMs = 0;
  /** Units of 1e-7 degree. */
  latE7 = 0;
  lonE7 = 0;
  source = 0;
  /** 0 track points, {@link waypointKind} timed waypoints. */
  kind = 0;
  /** How many observations it stands for; 1 but in the densest tracks. */
  weight = 1;

  copy(other: Point): this {
    this.timeMs = other.timeMs;
    this.latE7 = other.latE7;
    this.lonE7 = other.lonE7;
    this.source = other.source;
    this.kind = other.kind;
    this.weight = other.weight;
    return this;
  }

  /** Makes it no observation, but somebody who was there at another time. */
  unseenAt(timeMs: number): this {
    this.timeMs = timeMs;
    this.weight = 0;
    return this;
  }
}
