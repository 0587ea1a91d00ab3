import type { Buffer } from 'node:buffer';
import { recordedBy, type Format } from '../format.ts';
import { JsonElements } from '../json/json-elements.ts';
import { degreesOf, elements, member, numberOf, textOf, timeOf } from '../json/json-values.ts';
import type { Recording } from '../points/recording.ts';
import { missingTime } from '../points/point-values.ts';

const geojson =
  /^(?:\u00EF\u00BB\u00BF)?\s*\{[^]*?(?:"type"\s*:\s*"Feature(?:Collection)?"|"features"\s*:\s*\[\s*\{\s*"(?:type|geometry|properties|id|bbox)")/;

/** GeoJSON (RFC 7946): a collection of features, or one. */
export const geojsonFormat: Format = {
  name: 'geojson',
  recognises: (head) => geojson.test(head.toString('latin1')),
  read: recordedBy((recording) => new Features(recording)),
};

/** Names under which programs write what GeoJSON itself has no name for. */
const timeNames = ['time', 'timestamp', 'datetime', 'date_time', 'recorded_at', 'when', 'tst'];
const timesNames = ['coordTimes', 'times'];
const nameNames = ['name', 'title', 'Title'];
const noteNames = ['desc', 'description', 'Comment', 'comment'];
const accuracyNames = ['accuracy', 'horizontal_accuracy', 'acc'];
const elevationNames = ['altitude', 'ele', 'elevation'];

/** Reads points from features: a named or untimed point is a waypoint, another one of a track; lines are tracks. */
class Features extends JsonElements {
  readonly #recording: Recording;
  /** The root itself, if it is a feature. */
  readonly #root: Record<string, unknown> = {};
  #line = 1;
  #segment = 0;

  constructor(recording: Recording) {
    super((name, value) => {
      if (name === 'features') this.#readFeature(value);
      else if (name === 'geometry' || name === 'properties') this.#root[name] = value;
    });
    this.#recording = recording;
  }

  override end(rest: Buffer): void {
    super.end(rest);
    if (member(this.#root, 'geometry') !== undefined) this.#readFeature(this.#root);
  }

  #readFeature(feature: unknown): void {
    const properties = member(feature, 'properties');
    this.#geometry(member(feature, 'geometry'), properties);
  }

  #geometry(geometry: unknown, properties: unknown): void {
    const coordinates = member(geometry, 'coordinates');
    const times = firstOf(properties, timesNames) ?? timesOf(properties);
    switch (member(geometry, 'type')) {
      case 'Point':
        this.#point(coordinates, properties);
        break;
      case 'MultiPoint':
        // A segment of one point in an export of ours.
        if (isOfLine(properties)) this.#track([coordinates], [times], properties);
        else for (const position of elements(coordinates)) this.#point(position, properties);
        break;
      case 'LineString':
        this.#track([coordinates], [times], properties);
        break;
      case 'MultiLineString':
        this.#track(elements(coordinates), elements(times), properties);
        break;
      case 'GeometryCollection':
        for (const part of elements(member(geometry, 'geometries')))
          this.#geometry(part, properties);
        break;
      default:
      // Areas are not positions of the user.
    }
  }

  #point(position: unknown, properties: unknown): void {
    const { lat, lon, ele } = placeOf(position, properties);
    const time = firstOf(properties, timeNames);
    const timeMs = time === undefined || time === null ? missingTime : timeOf(time);
    const name = nameOf(properties);
    if (name === '' && Number.isFinite(timeMs)) {
      this.#recording.at('track', 0);
      const accuracyM = numberOf(firstOf(properties, accuracyNames));
      this.#recording.trackPoint(lat, lon, ele, timeMs, accuracyM);
      return;
    }
    const desc = textOf(firstOf(properties, noteNames));
    const isOwnBookmark = member(properties, 'bookmark') === true;
    this.#recording.waypoint(lat, lon, ele, timeMs, { name, desc, isOwnBookmark });
  }

  #track(lines: readonly unknown[], times: readonly unknown[], properties: unknown): void {
    for (const [index, line] of lines.entries()) {
      this.#segment += 1;
      this.#recording.at('track', this.#line, this.#segment);
      const timesOfLine = elements(times[index]);
      for (const [at, position] of elements(line).entries()) {
        const { lat, lon, ele } = placeOf(position, undefined);
        const time = timesOfLine[at];
        this.#recording.trackPoint(lat, lon, ele, time === undefined ? missingTime : timeOf(time));
      }
    }
    const desc = textOf(firstOf(properties, noteNames));
    this.#recording.lineTexts(this.#line, { name: nameOf(properties), desc });
    this.#line += 1;
  }
}

function placeOf(position: unknown, properties: unknown) {
  const [lon, lat, ele] = elements(position);
  return {
    lat: degreesOf(lat, 90),
    lon: degreesOf(lon, 180),
    ele: numberOf(ele ?? firstOf(properties, elevationNames)),
  };
}

/** togeojson's newer form. */
function timesOf(properties: unknown): unknown {
  return firstOf(member(properties, 'coordinateProperties'), timesNames);
}

/** The name of a point, also of a saved place of Google's. */
function nameOf(properties: unknown): string {
  const saved = member(properties, 'location') ?? member(properties, 'Location');
  const names = [
    firstOf(properties, nameNames),
    firstOf(saved, ['name', 'Business Name']),
    firstOf(saved, ['address', 'Address']),
  ];
  return names.map(textOf).find((name) => name !== '') ?? '';
}

function isOfLine(properties: unknown): boolean {
  const kind = member(properties, 'kind');
  return kind === 'track' || kind === 'route';
}

function firstOf(value: unknown, names: readonly string[]): unknown {
  for (const name of names) {
    const found = member(value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
