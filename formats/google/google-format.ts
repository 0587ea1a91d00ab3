import type { TripMode } from '../../model/timeline-result.ts';
import { recordedBy, type Format } from '../format.ts';
import { JsonElements } from '../json/json-elements.ts';
import { degreesOf, elements, member, numberOf, textOf, timeOf } from '../json/json-values.ts';
import type { Recording } from '../points/recording.ts';
import { missingTime } from '../points/point-values.ts';

const exports =
  /^(?:\u00EF\u00BB\u00BF)?\s*\{\s*"(?:locations(?=[^]*"(?:latitudeE7|timestampMs)")|timelineEdits(?=[^]*"(?:rawSignal|deviceId)")|timelineObjects|semanticSegments|rawSignals|userLocationProfile)"\s*:/;
/** The export of an iPhone is a bare array of what happened. */
const bareArray =
  /^(?:\u00EF\u00BB\u00BF)?\s*\[\s*\{(?=[^]*"startTime"\s*:)[^]*"(?:visit|activity|timelinePath|timelineMemory)"\s*:/;

/** Google's location history in each of the forms in which it was and is exported. */
export const googleFormat: Format = {
  name: 'google',
  recognises(head) {
    const text = head.toString('latin1');
    return exports.test(text) || bareArray.test(text);
  },
  read: recordedBy((recording) => new GoogleLocations(recording)),
};

/** `48.8566°, 2.3522°` of Android, `geo:48.8566,2.3522` of an iPhone. */
const position =
  /^(?:geo:)?\s*(-?\d{1,3}(?:\.\d{1,20})?)\xb0?\s*,\s*(-?\d{1,3}(?:\.\d{1,20})?)\xb0?\s*$/;
/** Google's types of activities; others say nothing of how the way was gone. */
const activities: Readonly<Partial<Record<TripMode, string>>> = {
  walk: 'WALKING ON_FOOT HIKING',
  run: 'RUNNING',
  bike: 'CYCLING ON_BICYCLE',
  car:
    'IN_PASSENGER_VEHICLE IN_VEHICLE IN_ROAD_VEHICLE IN_FOUR_WHEELER_VEHICLE ' +
    'IN_TWO_WHEELER_VEHICLE IN_CAR IN_TAXI IN_BUS DRIVING MOTORCYCLING',
  train: 'IN_TRAIN IN_SUBWAY IN_TRAM IN_RAIL_VEHICLE',
  boat: 'IN_FERRY BOATING SAILING KAYAKING ROWING',
  flight: 'FLYING',
};
const modes = new Map(
  Object.entries(activities).flatMap(([mode, types]) =>
    types.split(' ').map((type) => [type, mode as TripMode]),
  ),
);
const msPerMinute = 60_000;
const mmPerMetre = 1_000;
/** Members whose elements are single positions, and not each a piece of the way. */
const loose: ReadonlySet<string> = new Set(['locations', 'rawSignals', 'timelineEdits']);

/**
 * Reads positions from Google's exports. A visit gives a position at its begin and one at its end, an activity likewise;
 * both are stated to timelines as well.
 * Places do not become waypoints: the user did not save them.
 */
class GoogleLocations extends JsonElements {
  readonly #recording: Recording;
  #segment = 0;

  constructor(recording: Recording) {
    super((name, value) => this.#readMember(name, value));
    this.#recording = recording;
  }

  /** @param name of the member that the value is an element of; '' for the bare array of an iPhone. */
  #readMember(name: string, value: unknown): void {
    if (!loose.has(name)) {
      this.#segment += 1;
      this.#recording.at('track', 1, this.#segment);
    }
    if (name === 'locations') this.#record(value);
    else if (name === 'timelineObjects') this.#timelineObject(value);
    else if (name === 'semanticSegments' || name === '') this.#timelineSegment(value);
    else if (name === 'rawSignals') this.#signal(member(value, 'position'));
    else if (name === 'timelineEdits') this.#edit(member(value, 'rawSignal'));
  }

  /** Records.json. */
  #record(record: unknown): void {
    const timeMs = timeIn(record, 'timestamp');
    this.#place(record, timeMs, numberOf(member(record, 'altitude')), member(record, 'accuracy'));
  }

  /** A month of the Semantic Location History. */
  #timelineObject(object: unknown): void {
    const activity = member(object, 'activitySegment');
    const visit = member(object, 'placeVisit');
    const duration = member(activity ?? visit, 'duration');
    const [start, end] = [timeIn(duration, 'startTimestamp'), timeIn(duration, 'endTimestamp')];
    if (visit !== undefined) {
      const place = member(visit, 'location');
      this.#placeIfAny(place, start);
      this.#placeIfAny(place, end);
      this.#recording.visit({ startMs: start, endMs: end, ...placeAt(place) });
      for (const child of elements(member(visit, 'childVisits'))) {
        this.#timelineObject({ placeVisit: child });
      }
    }
    if (activity === undefined) return;
    this.#activity(member(activity, 'activityType'), start, end);
    this.#placeIfAny(member(activity, 'startLocation'), start);
    for (const point of elements(member(member(activity, 'simplifiedRawPath'), 'points'))) {
      this.#place(point, timeIn(point, 'timestamp'), Number.NaN, member(point, 'accuracyMeters'));
    }
    for (const point of elements(member(member(activity, 'waypointPath'), 'waypoints'))) {
      this.#place(point, missingTime);
    }
    this.#placeIfAny(member(activity, 'endLocation'), end);
  }

  /** Exports of Android phones and iPhones. */
  #timelineSegment(segment: unknown): void {
    const start = timeOf(member(segment, 'startTime'));
    const end = timeOf(member(segment, 'endTime'));
    const place = member(member(member(segment, 'visit'), 'topCandidate'), 'placeLocation');
    if (place !== undefined) {
      this.#position(place, start);
      this.#position(place, end);
      this.#recording.visit({ startMs: start, endMs: end, ...positionAt(place) });
    }
    const activity = member(segment, 'activity');
    if (activity !== undefined) {
      this.#activity(member(member(activity, 'topCandidate'), 'type'), start, end);
      this.#position(member(activity, 'start'), start);
      this.#position(member(activity, 'end'), end);
    }
    for (const point of elements(member(segment, 'timelinePath'))) {
      const minutes = Number(textOf(member(point, 'durationMinutesOffsetFromStartTime')) || 'NaN');
      const time = member(point, 'time');
      const timeMs = time === undefined ? start + minutes * msPerMinute : timeOf(time);
      this.#position(member(point, 'point'), timeMs);
    }
  }

  #activity(type: unknown, startMs: number, endMs: number): void {
    const mode = modes.get(textOf(type).toUpperCase().replaceAll(' ', '_'));
    if (mode !== undefined) this.#recording.mode({ startMs, endMs, mode });
  }

  #signal(signal: unknown): void {
    if (signal === undefined) return;
    const at = member(signal, 'LatLng') ?? member(signal, 'latLng');
    const timeMs = timeOf(member(signal, 'timestamp'));
    const ele = numberOf(member(signal, 'altitudeMeters'));
    this.#position(at, timeMs, ele, member(signal, 'accuracyMeters'));
  }

  /** Signals that phones send as "edits"; the user's own edits are not read. */
  #edit(rawSignal: unknown): void {
    const signal = member(member(rawSignal, 'signal'), 'position');
    if (signal === undefined) return;
    const timeMs = timeOf(member(signal, 'timestamp'));
    const accuracyM = numberOf(member(signal, 'accuracyMm')) / mmPerMetre;
    const ele = numberOf(member(signal, 'altitudeMeters'));
    this.#place(member(signal, 'point'), timeMs, ele, accuracyM);
  }

  #placeIfAny(place: unknown, timeMs: number): void {
    const hasPosition = ['latitudeE7', 'latE7'].some((name) => member(place, name) !== undefined);
    if (hasPosition) this.#place(place, timeMs);
  }

  #place(place: unknown, timeMs: number, ele = Number.NaN, accuracy?: unknown): void {
    const { lat, lon } = placeAt(place);
    this.#recording.trackPoint(lat, lon, ele, timeMs, numberOf(accuracy));
  }

  #position(at: unknown, timeMs: number, ele = Number.NaN, accuracy?: unknown): void {
    const { lat, lon } = positionAt(at);
    this.#recording.trackPoint(lat, lon, ele, timeMs, numberOf(accuracy));
  }
}

/** Degrees; NaN = not given. */
interface Position {
  readonly lat: number;
  readonly lon: number;
}

function placeAt(place: unknown): Position {
  return {
    lat: fromE7(member(place, 'latitudeE7') ?? member(place, 'latE7'), 90),
    lon: fromE7(member(place, 'longitudeE7') ?? member(place, 'lngE7'), 180),
  };
}

function positionAt(value: unknown): Position {
  const [, lat, lon] = position.exec(textOf(member(value, 'latLng') ?? value)) ?? [];
  return { lat: degreesOf(Number(lat), 90), lon: degreesOf(Number(lon), 180) };
}

/** Degrees of ten-millionths; negative ones of some years were written as if they had no sign. */
function fromE7(value: unknown, limit: 90 | 180): number {
  const stored = numberOf(value);
  const signed = stored > limit * 1e7 ? stored - 2 ** 32 : stored;
  return degreesOf(signed / 1e7, limit);
}

/** A time under its present name, or as the milliseconds of older exports. */
function timeIn(value: unknown, name: string): number {
  return timeOf(member(value, name) ?? member(value, `${name}Ms`));
}
