import type { Recording } from '../points/recording.ts';
import { missingTime, parsePointTime } from '../points/point-values.ts';
import { FileRefused } from '../refused.ts';
import { elementFormat } from '../xml/element-format.ts';
import type { ElementListener } from '../xml/element-tree.ts';
import { CoordinateList, parseCoordinates, type Coordinates } from './coordinates.ts';
import { NumberQueue } from './number-queue.ts';

/** KML 2.x, with the tracks that Google added to it. */
export const kmlFormat = elementFormat({
  name: 'kml',
  root: 'kml',
  runs: ['when', 'gx:coord', 'Placemark'],
  listener: (recording) => new KmlElements(recording),
});

/** Numbers of a track that wait for their times or positions: four months of seconds, 80 MB. */
const maxWaiting = 10_000_000;
/** Points of one placemark: they wait for its name. */
const maxPoints = 10_000;

/** Elements whose texts are wanted, by the element that they are in. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  Point: ['coordinates'],
  LineString: ['coordinates'],
  Track: ['when', 'coord'],
  TimeStamp: ['when'],
  TimeSpan: ['begin'],
  Placemark: ['name', 'description'],
};

/** Reads placemarks: points are waypoints, or of a track if they have a time and no name; lines and tracks are tracks. */
class KmlElements implements ElementListener {
  readonly #recording: Recording;
  readonly #lineString = new CoordinateList((coordinates) => this.#linePoint(coordinates));
  readonly #point = new CoordinateList((coordinates) => this.#addPoint(coordinates));
  #points: Coordinates[] = [];
  #name = '';
  #description = '';
  /** Marked in an export of ours. */
  #isOwnBookmark = false;
  #timeMs = missingTime;
  /** Times of the present track that wait for their positions, or positions for their times: three numbers each. */
  readonly #times = new NumberQueue();
  readonly #positions = new NumberQueue();
  #line = 1;
  #segment = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  open(name: string): void {
    if (name === 'Placemark') {
      this.#isOwnBookmark = false;
      this.#points = [];
      this.#name = '';
      this.#description = '';
      this.#timeMs = missingTime;
      this.#line += 1;
    } else if (name === 'Track') {
      this.#times.clear();
      this.#positions.clear();
    } else if (name === 'bookmark') this.#isOwnBookmark = true;
    if (name === 'Track' || name === 'LineString') this.#segment += 1;
  }

  wants(name: string, parents: readonly string[]): 'whole' | 'parts' | 'nothing' {
    const parent = parents.at(-1) ?? '';
    if (wanted[parent]?.includes(name) !== true) return 'nothing';
    return name === 'coordinates' ? 'parts' : 'whole';
  }

  text(name: string, text: string, parents: readonly string[]): void {
    if (name === 'coordinates') {
      (parents.at(-2) === 'Point' ? this.#point : this.#lineString).push(text);
    } else if (name === 'name') this.#name = text;
    else if (name === 'description') this.#description = text;
    else if (name === 'coord') this.#addPosition(parseCoordinates(text, ' '));
    else if (parents.at(-1) === 'Track') this.#addTime(parsePointTime(text));
    else this.#timeMs = timeOf(text);
  }

  close(name: string, parents: readonly string[]): void {
    if (name === 'coordinates') (parents.at(-1) === 'Point' ? this.#point : this.#lineString).end();
    else if (name === 'Track') this.#endTrack();
    else if (name === 'Placemark') this.#placemark();
  }

  #addPoint(coordinates: Coordinates): void {
    if (this.#points.length === maxPoints) throw new FileRefused('too_large');
    this.#points.push(coordinates);
  }

  #addTime(timeMs: number): void {
    if (this.#positions.length > 0) this.#trackPoint(timeMs);
    else if (this.#times.length < maxWaiting) this.#times.push(timeMs);
    else throw new FileRefused('too_large');
  }

  #addPosition({ lat, lon, ele }: Coordinates): void {
    if (this.#positions.length + 3 > maxWaiting) throw new FileRefused('too_large');
    for (const number of [lat, lon, ele]) this.#positions.push(number);
    if (this.#times.length > 0) this.#trackPoint(this.#times.shift());
  }

  /** Positions without a time are left. */
  #endTrack(): void {
    while (this.#positions.length > 0) this.#trackPoint(missingTime);
  }

  #linePoint({ lat, lon, ele }: Coordinates): void {
    this.#recording.at('track', this.#line, this.#segment);
    this.#recording.trackPoint(lat, lon, heightOf(ele), missingTime);
  }

  /** Hands on the first position that waits. */
  #trackPoint(timeMs: number): void {
    const [lat, lon, ele] = [
      this.#positions.shift(),
      this.#positions.shift(),
      this.#positions.shift(),
    ];
    this.#recording.at('track', this.#line, this.#segment);
    this.#recording.trackPoint(lat, lon, ele, timeMs);
  }

  #placemark(): void {
    const isOwnBookmark = this.#isOwnBookmark;
    const texts = { name: this.#name, desc: this.#description, isOwnBookmark };
    const isOfTrack = this.#name.trim() === '' && Number.isFinite(this.#timeMs);
    for (const { lat, lon, ele } of this.#points) {
      if (isOfTrack) {
        this.#recording.at('track', 0);
        this.#recording.trackPoint(lat, lon, heightOf(ele), this.#timeMs);
      } else this.#recording.waypoint(lat, lon, heightOf(ele), this.#timeMs, texts);
    }
    if (this.#points.length === 0) this.#recording.lineTexts(this.#line, texts);
  }
}

/** Outside of tracks a height of 0 is what programs write that know none: it means the ground. */
function heightOf(ele: number): number {
  return ele === 0 ? Number.NaN : ele;
}

/** A whole day, month or year is no instant. */
function timeOf(text: string): number {
  return /^\s*\d{4}(?:-\d\d){0,2}\s*$/.test(text) ? missingTime : parsePointTime(text);
}
