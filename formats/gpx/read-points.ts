import { copyText } from './copy-text.ts';
import type { PointCounts } from './point-counts.ts';
import { parseDegrees, parseNumber, PointTimes } from './point-values.ts';
import { readValues, type Attributes, type ValueHandler } from './xml-values.ts';

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

/** Turns the markup of points into values and hands these on. */
export class PointReader {
  readonly #counts: PointCounts;
  readonly #handler: ValueHandler;
  readonly #times = new PointTimes();
  #points: RawPoint[] = [];
  /** The text being read; undefined for a second one of its kind, which is ignored. */
  #textElement: TextElement | undefined;

  constructor(counts: PointCounts) {
    this.#counts = counts;
    this.#handler = {
      open: (element, attributes) => this.#open(element, attributes),
      value: (element, text) => this.#value(element, text),
    };
  }

  /** Reads the markup of whole points, as PointMarkup hands it on. */
  read(markup: string): void {
    readValues(markup, this.#handler);
    // Only now the sink is called: what it throws must not be taken for an error of the markup.
    for (const point of this.#points) this.#deliver(point);
    this.#points = [];
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

  #deliver({ element, attributes, texts, tags }: RawPoint): void {
    const lat = parseDegrees(attributes['@lat'], 90) ?? Number.NaN;
    const lon = parseDegrees(attributes['@lon'], 180) ?? Number.NaN;
    const ele = parseNumber(texts.ele) ?? Number.NaN;
    const timeMs = this.#times.parse(texts.time);
    if (element === 'trkpt') {
      this.#counts.trackPoint(lat, lon, ele, timeMs);
      return;
    }
    this.#counts.waypoint(lat, lon, ele, timeMs, {
      name: copyText(texts.name ?? ''),
      desc: copyText(texts.desc ?? ''),
      tags: tags.map(copyText),
    });
  }
}
