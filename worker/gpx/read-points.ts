import { limits } from '../../model/limits.ts';
import { cleanText } from './clean-text.ts';
import { parseDegrees, parseNumber, PointTimes } from './point-values.ts';
import { createValueReader, type Attributes } from './xml-values.ts';

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
  /** Points with usable coordinates and no valid time. */
  readonly untimedPoints: number;
  /** Points without coordinates, or outside −90…90, −180…180. */
  readonly unusablePoints: number;
  /** The earliest and the latest observation, ms UTC. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

const textElements = ['name', 'ele', 'time', 'desc'] as const;
type TextElement = (typeof textElements)[number];

/** A point as its markup says it. */
interface RawPoint {
  readonly element: string;
  readonly attributes: Attributes;
  readonly texts: Partial<Record<TextElement, string>>;
  readonly tags: string[];
}

const noTags: string[] = [];

/** Turns the markup of points into values, hands these to the sink and counts. */
export class PointReader {
  readonly #sink: GpxSink;
  readonly #read: (markup: string) => void;
  readonly #times = new PointTimes();
  #points: RawPoint[] = [];
  /** The text being read; undefined for a second one of its kind, which is ignored. */
  #textElement: TextElement | undefined;
  #waypointElements = 0;
  #waypoints = 0;
  #observations = 0;
  #untimedPoints = 0;
  #unusablePoints = 0;
  #firstMs = Infinity;
  #lastMs = -Infinity;

  constructor(sink: GpxSink) {
    this.#sink = sink;
    this.#read = createValueReader({
      open: (element, attributes) => this.#open(element, attributes),
      value: (element, text) => this.#value(element, text),
    });
  }

  /** Reads the markup of whole points, as PointMarkup hands it on. */
  read(markup: string): void {
    this.#read(markup);
    // Only now the sink is called: what it throws must not be taken for an error of the markup.
    for (const point of this.#points) this.#deliver(point);
    this.#points = [];
  }

  summary(): GpxSummary {
    const counts = {
      waypoints: this.#waypoints,
      observations: this.#observations,
      untimedPoints: this.#untimedPoints,
      unusablePoints: this.#unusablePoints,
    };
    if (this.#observations === 0) return counts;
    return { ...counts, firstMs: this.#firstMs, lastMs: this.#lastMs };
  }

  #open(element: string, attributes: Attributes): void {
    if (element === 'trkpt') {
      this.#points.push({ element, attributes, texts: {}, tags: noTags });
      return;
    }
    if (element === 'wpt') {
      this.#points.push({ element, attributes, texts: {}, tags: [] });
      return;
    }
    const point = this.#points.at(-1);
    if (point === undefined) return;
    if (element === 'tag') point.tags.push('');
    const found = textElements.find((name) => name === element);
    this.#textElement = found !== undefined && point.texts[found] === undefined ? found : undefined;
    if (this.#textElement !== undefined) point.texts[this.#textElement] = '';
  }

  #value(element: string, text: string): void {
    const point = this.#points.at(-1);
    if (point === undefined) return;
    if (element === 'tag') point.tags.push((point.tags.pop() ?? '') + text);
    else if (this.#textElement === element) {
      point.texts[this.#textElement] = (point.texts[this.#textElement] ?? '') + text;
    }
  }

  #deliver(point: RawPoint): void {
    const isWaypoint = point.element === 'wpt';
    if (isWaypoint) this.#waypointElements += 1;
    const lat = parseDegrees(point.attributes['@lat'], 90);
    const lon = parseDegrees(point.attributes['@lon'], 180);
    if (lat === undefined || lon === undefined) {
      this.#unusablePoints += 1;
      return;
    }
    const ele = parseNumber(point.texts.ele);
    const timeMs = this.#times.parse(point.texts.time);
    this.#count(timeMs);
    if (isWaypoint) this.#deliverWaypoint(point, definedPoint(lat, lon, ele, timeMs));
    else if (timeMs !== undefined) this.#sink.trackPoint(lat, lon, ele ?? Number.NaN, timeMs);
  }

  #deliverWaypoint({ texts, tags }: RawPoint, point: GpxPoint): void {
    const name = cleanText(texts.name ?? '', limits.nameCodePoints);
    const desc = cleanText(texts.desc ?? '', limits.descCodePoints);
    const cleanTags = tags.map((tag) => cleanText(tag, limits.tagCodePoints));
    this.#waypoints += 1;
    this.#sink.waypoint({
      ...point,
      name: name === '' ? `Waypoint ${this.#waypointElements}` : name,
      ...(desc === '' ? {} : { desc }),
      tags: cleanTags.filter((tag) => tag !== ''),
    });
  }

  #count(timeMs: number | undefined): void {
    if (timeMs === undefined) {
      this.#untimedPoints += 1;
      return;
    }
    this.#observations += 1;
    this.#firstMs = Math.min(this.#firstMs, timeMs);
    this.#lastMs = Math.max(this.#lastMs, timeMs);
  }
}

function definedPoint(lat: number, lon: number, ele?: number, timeMs?: number): GpxPoint {
  return {
    lat,
    lon,
    ...(ele === undefined ? {} : { ele }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}
