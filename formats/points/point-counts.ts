import { limits } from '../../model/limits.ts';
import { cleanText } from './clean-text.ts';
import { invalidTime } from './point-values.ts';

/** A point with usable coordinates: degrees WGS84, metres, integer ms UTC. */
export interface GpxPoint {
  readonly lat: number;
  readonly lon: number;
  readonly ele?: number;
  readonly timeMs?: number;
}

/** A waypoint as it is stored: texts clean, NFC, within the limits of the contract; an empty `desc` is left out. */
export interface GpxWaypoint extends GpxPoint {
  readonly name: string;
  readonly desc?: string;
  /** Tags our own export and mirror put into `extensions`. */
  readonly tags: readonly string[];
}

/** Gets what a file holds, while it is read: who stores it undoes that when reading throws. */
export interface GpxSink {
  /** Every `wpt` with usable coordinates, in document order. */
  waypoint(waypoint: GpxWaypoint): void;
  /** Every `trkpt` with usable coordinates and a valid time; `ele` in metres, NaN when there is none. */
  trackPoint(lat: number, lon: number, ele: number, timeMs: number): void;
}

/** What a file holds. Points are `wpt` and `trkpt`; route points are not looked at, nor counted. */
export interface GpxSummary {
  /** Waypoints with usable coordinates. */
  readonly waypoints: number;
  /** Points with usable coordinates and a valid time. */
  readonly observations: number;
  /** Points with usable coordinates and without a time, or with an empty one. */
  readonly missingTimes: number;
  /** Points with usable coordinates and a time that is none. */
  readonly invalidTimes: number;
  /** Points without coordinates, or outside −90…90, −180…180. */
  readonly unusablePoints: number;
  /** The earliest and the latest observation, ms UTC. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

/** The texts of a waypoint as the file says them, references replaced. */
export interface WaypointTexts {
  readonly name: string;
  readonly desc: string;
  readonly tags: readonly string[];
}

/**
 * Counts points and hands the usable ones to the sink. NaN stands for a number that is not there or not valid; times know
 * the two apart, see point-values.ts.
 */
export class PointCounts {
  readonly #sink: GpxSink;
  #waypointElements = 0;
  #waypoints = 0;
  #observations = 0;
  #missingTimes = 0;
  #invalidTimes = 0;
  #unusablePoints = 0;
  #firstMs = Infinity;
  #lastMs = -Infinity;

  constructor(sink: GpxSink) {
    this.#sink = sink;
  }

  trackPoint(lat: number, lon: number, ele: number, timeMs: number): void {
    if (!this.#count(lat, lon, timeMs) || !Number.isFinite(timeMs)) return;
    this.#sink.trackPoint(lat, lon, ele, timeMs);
  }

  waypoint(lat: number, lon: number, ele: number, timeMs: number, texts: WaypointTexts): void {
    this.#waypointElements += 1;
    if (!this.#count(lat, lon, timeMs)) return;
    this.#waypoints += 1;
    const cleanName = cleanText(texts.name, limits.nameCodePoints);
    const name = cleanName === '' ? `Waypoint ${this.#waypointElements}` : cleanName;
    const desc = cleanText(texts.desc, limits.descCodePoints);
    const tags = cleanTags(texts.tags);
    // What most files have is written out: spreading takes several times as long.
    if (desc !== '' && Number.isFinite(timeMs) && !Number.isNaN(ele)) {
      this.#sink.waypoint({ lat, lon, ele, timeMs, name, desc, tags });
      return;
    }
    this.#sink.waypoint({
      lat,
      lon,
      ...(Number.isNaN(ele) ? {} : { ele }),
      ...(Number.isFinite(timeMs) ? { timeMs } : {}),
      name,
      ...(desc === '' ? {} : { desc }),
      tags,
    });
  }

  summary(): GpxSummary {
    const counts = {
      waypoints: this.#waypoints,
      observations: this.#observations,
      missingTimes: this.#missingTimes,
      invalidTimes: this.#invalidTimes,
      unusablePoints: this.#unusablePoints,
    };
    if (this.#observations === 0) return counts;
    return { ...counts, firstMs: this.#firstMs, lastMs: this.#lastMs };
  }

  /** @returns whether the coordinates are usable. */
  #count(lat: number, lon: number, timeMs: number): boolean {
    if (Number.isNaN(lat) || Number.isNaN(lon)) {
      this.#unusablePoints += 1;
      return false;
    }
    if (!Number.isFinite(timeMs)) {
      if (timeMs === invalidTime) this.#invalidTimes += 1;
      else this.#missingTimes += 1;
      return true;
    }
    this.#observations += 1;
    if (timeMs < this.#firstMs) this.#firstMs = timeMs;
    if (timeMs > this.#lastMs) this.#lastMs = timeMs;
    return true;
  }
}

const noTags: readonly string[] = [];

function cleanTags(tags: readonly string[]): readonly string[] {
  if (tags.length === 0) return noTags;
  return tags.map((tag) => cleanText(tag, limits.tagCodePoints)).filter((tag) => tag !== '');
}
