import type { RawTexts, Recording } from '../points/recording.ts';
import { parseDegrees, parseNumber, parsePointTime } from '../points/point-values.ts';
import { elementFormat } from '../xml/element-format.ts';
import type { ElementListener } from '../xml/element-tree.ts';

/** Garmin's Training Center Database. */
export const tcxFormat = elementFormat({
  name: 'tcx',
  root: 'TrainingCenterDatabase',
  runs: ['Trackpoint'],
  listener: (recording) => new TcxElements(recording),
});

/** Elements whose texts are wanted, by the element that they are in. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  Trackpoint: ['Time', 'AltitudeMeters'],
  CoursePoint: ['Name', 'Time', 'AltitudeMeters', 'PointType', 'Notes'],
  Position: ['LatitudeDegrees', 'LongitudeDegrees'],
  Course: ['Name'],
  Activity: ['Notes'],
};

/** Reads the points of activities; those of courses are a plan, and their times are made up. */
class TcxElements implements ElementListener {
  readonly #recording: Recording;
  /** Texts of the present point. */
  #texts = new Map<string, string>();
  #lineTexts: RawTexts = {};
  #hasPosition = false;
  #isCourse = false;
  #line = 0;
  #segment = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  open(name: string): void {
    if (name === 'Trackpoint' || name === 'CoursePoint') {
      this.#texts.clear();
      this.#hasPosition = false;
    } else if (name === 'Position') this.#hasPosition = true;
    else if (name === 'Track') this.#segment += 1;
    else if (name === 'Activity' || name === 'Course') {
      this.#isCourse = name === 'Course';
      this.#line += 1;
      this.#lineTexts = {};
    }
  }

  wants(name: string, parents: readonly string[]): 'whole' | 'nothing' {
    return wanted[parents.at(-1) ?? '']?.includes(name) === true ? 'whole' : 'nothing';
  }

  text(name: string, text: string, parents: readonly string[]): void {
    const parent = parents.at(-1);
    if (parent === 'Course') this.#lineTexts = { name: text };
    else if (parent === 'Activity') this.#lineTexts = { desc: text };
    else this.#texts.set(name, text);
  }

  close(name: string): void {
    // A sensor's reading while there was no position is no point.
    if (name === 'Trackpoint' && this.#hasPosition) this.#trackPoint();
    else if (name === 'CoursePoint' && this.#hasPosition) this.#coursePoint();
    else if (name === 'Course' || name === 'Activity') {
      this.#recording.lineTexts(this.#line, this.#lineTexts);
    }
  }

  #trackPoint(): void {
    const { lat, lon, ele } = this.#place();
    if (this.#isCourse) {
      this.#recording.at('route', this.#line);
      this.#recording.routePoint(lat, lon, ele);
      return;
    }
    this.#recording.at('track', this.#line, this.#segment);
    this.#recording.trackPoint(lat, lon, ele, parsePointTime(this.#texts.get('Time')));
  }

  #coursePoint(): void {
    const { lat, lon, ele } = this.#place();
    const texts = this.#texts;
    this.#recording.waypoint(lat, lon, ele, Number.NaN, {
      name: texts.get('Name'),
      desc: texts.get('Notes'),
      type: texts.get('PointType'),
    });
  }

  #place() {
    return {
      lat: parseDegrees(this.#texts.get('LatitudeDegrees'), 90),
      lon: parseDegrees(this.#texts.get('LongitudeDegrees'), 180),
      ele: parseNumber(this.#texts.get('AltitudeMeters')),
    };
  }
}
