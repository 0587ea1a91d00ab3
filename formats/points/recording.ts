import { limits } from '../../model/limits.ts';
import { isLink, type Link } from '../../model/link.ts';
import { textFields, waypointFields, type WaypointFields } from '../../model/waypoint-fields.ts';
import { cleanNote, cleanText } from './clean-text.ts';
import { asElevation, invalidTime } from './point-values.ts';
import type {
  LineKind,
  LineTexts,
  RecordedTexts,
  RecordedWaypoint,
  RecordingSink,
  BookmarkStamp,
  MirrorMark,
  RecordingSummary,
  StatedMode,
  StatedVisit,
  Tombstone,
} from '../../model/recording.ts';

/** Texts as the file says them, references replaced; what is left out or empty is absent. */
export interface RawTexts extends Readonly<WaypointFields> {
  readonly name?: string | undefined;
}

export interface RawWaypointTexts extends RawTexts {
  readonly tags?: readonly string[] | undefined;
  readonly isOwnBookmark?: boolean | undefined;
  readonly isImported?: boolean | undefined;
  readonly stamp?: BookmarkStamp | undefined;
}

/**
 * Receives points and texts from the readers of all formats, as the file has them: cleans the usable ones for the sink and
 * counts all. NaN is a missing or invalid number; in coordinates, an unusable point. Times tell the two apart, see
 * point-values.ts.
 */
export class Recording {
  readonly #sink: RecordingSink;
  #waypointElements = 0;
  readonly #counts = {
    waypoints: 0,
    ownBookmarks: 0,
    trackPoints: 0,
    tracks: 0,
    routePoints: 0,
    routes: 0,
    observations: 0,
    missingTimes: 0,
    invalidTimes: 0,
    unusablePoints: 0,
  };
  #firstMs = Infinity;
  #lastMs = -Infinity;
  /** Where points belong, and what of that the sink has been told. */
  #kind: LineKind = 'track';
  #line = 0;
  #segment = 0;
  #toldLine = Number.NaN;
  #toldSegment = Number.NaN;

  constructor(sink: RecordingSink) {
    this.#sink = sink;
  }

  /**
   * Says where points belong from now on; saying it again changes nothing. Until then, they are of one track.
   * @param line any number that no other line of the file has.
   * @param segment any number that no other segment of the line has.
   */
  at(kind: LineKind, line: number, segment = 0): void {
    this.#kind = kind;
    this.#line = line;
    this.#segment = segment;
  }

  trackPoint(lat: number, lon: number, ele: number, timeMs: number, accuracyM?: number): void {
    if (!this.#count(lat, lon, timeMs)) return;
    this.#counts.trackPoints += 1;
    this.#tell();
    const time = Number.isFinite(timeMs) ? timeMs : Number.NaN;
    this.#sink.trackPoint(lat, lon, asElevation(ele), time, accuracyM);
  }

  routePoint(lat: number, lon: number, ele: number, name = ''): void {
    if (!this.#isUsable(lat, lon)) return;
    this.#counts.routePoints += 1;
    this.#tell();
    this.#sink.routePoint(lat, lon, asElevation(ele), cleanText(name, limits.nameCodePoints));
  }

  /** @param line as it was, or will be, given to {@link at}. */
  lineTexts(line: number, raw: RawTexts): void {
    const name = cleanText(raw.name ?? '', limits.nameCodePoints);
    const texts: LineTexts = name === '' ? {} : { name };
    addTexts(texts, raw);
    if (Object.keys(texts).length > 0) this.#sink.lineTexts(line, texts);
  }

  waypoint(lat: number, lon: number, ele: number, timeMs: number, raw: RawWaypointTexts): void {
    this.#waypointElements += 1;
    const isOwnBookmark = raw.isOwnBookmark === true;
    const isUsable = isOwnBookmark ? this.#isUsable(lat, lon) : this.#count(lat, lon, timeMs);
    if (!isUsable) return;
    this.#counts.waypoints += 1;
    if (isOwnBookmark) this.#counts.ownBookmarks += 1;
    const name = cleanText(raw.name ?? '', limits.nameCodePoints);
    // Assigned one by one: spreading takes several times as long.
    const waypoint: { -readonly [Key in keyof RecordedWaypoint]: RecordedWaypoint[Key] } = {
      lat,
      lon,
      name: name === '' ? `Waypoint ${this.#waypointElements}` : name,
      tags: cleanTags(raw.tags),
    };
    // A bookmark keeps what its user gave it.
    const metres = isOwnBookmark ? ele : asElevation(ele);
    if (!Number.isNaN(metres)) waypoint.ele = metres;
    if (Number.isFinite(timeMs)) waypoint.timeMs = timeMs;
    addTexts(waypoint, raw);
    mark(waypoint, raw);
    this.#sink.waypoint(waypoint);
  }

  /** Notes that the recorder states a stay, unless its place or times are unusable. */
  visit(visit: StatedVisit): void {
    const { lat, lon } = visit;
    if (isSpan(visit) && !Number.isNaN(lat) && !Number.isNaN(lon)) this.#sink.visit?.(visit);
  }

  /** Notes that the recorder states how a way was gone, unless its times are unusable. */
  mode(mode: StatedMode): void {
    if (isSpan(mode)) this.#sink.mode?.(mode);
  }

  mirrorMark(mark: MirrorMark): void {
    this.#sink.mirrorMark?.(mark);
  }

  tombstone(tombstone: Tombstone): void {
    this.#sink.tombstone?.(tombstone);
  }

  summary(): RecordingSummary {
    const counts = { ...this.#counts };
    if (counts.observations === 0) return counts;
    return { ...counts, firstMs: this.#firstMs, lastMs: this.#lastMs };
  }

  /** Tells the sink of lines and segments that have a usable point. */
  #tell(): void {
    if (this.#line !== this.#toldLine) {
      if (this.#kind === 'track') this.#counts.tracks += 1;
      else this.#counts.routes += 1;
      this.#sink.line(this.#kind, this.#line);
    } else if (this.#segment !== this.#toldSegment) this.#sink.segment();
    else return;
    this.#toldLine = this.#line;
    this.#toldSegment = this.#segment;
  }

  #isUsable(lat: number, lon: number): boolean {
    if (!Number.isNaN(lat) && !Number.isNaN(lon)) return true;
    this.#counts.unusablePoints += 1;
    return false;
  }

  /** @returns whether the coordinates are usable. */
  #count(lat: number, lon: number, timeMs: number): boolean {
    if (!this.#isUsable(lat, lon)) return false;
    if (!Number.isFinite(timeMs)) {
      if (timeMs === invalidTime) this.#counts.invalidTimes += 1;
      else this.#counts.missingTimes += 1;
      return true;
    }
    this.#counts.observations += 1;
    if (timeMs < this.#firstMs) this.#firstMs = timeMs;
    if (timeMs > this.#lastMs) this.#lastMs = timeMs;
    return true;
  }
}

function isSpan({ startMs, endMs }: StatedVisit | StatedMode): boolean {
  return Number.isFinite(startMs) && Number.isFinite(endMs) && endMs > startMs;
}

const noTags: readonly string[] = [];

function cleanTags(tags: readonly string[] = noTags): readonly string[] {
  if (tags.length === 0) return noTags;
  return tags.map((tag) => cleanText(tag, limits.tagCodePoints)).filter((tag) => tag !== '');
}

/** Adds the texts and links that are not empty. */
function addTexts(target: RecordedTexts, raw: RawTexts): void {
  const texts: { -readonly [Name in keyof RecordedTexts]: RecordedTexts[Name] } = target;
  for (const name of textFields) {
    const value = raw[name];
    if (value === undefined) continue;
    const isNote = waypointFields[name].kind === 'note';
    const text = isNote
      ? cleanNote(value, limits.descCodePoints)
      : cleanText(value, limits.fieldCodePoints);
    if (text !== '') texts[name] = text;
  }
  const links = raw.links?.map(cleanLink).filter(isLink).slice(0, limits.links) ?? [];
  if (links.length > 0) texts.links = links;
}

function cleanLink({ href, text }: Link): Link {
  // Its length is looked at, not cut: another address would be a wrong one.
  const clean = cleanText(text ?? '', limits.fieldCodePoints);
  return { href: href.trim(), ...(clean === '' ? {} : { text: clean }) };
}

function mark(
  waypoint: { isOwnBookmark?: true; isImported?: true; stamp?: BookmarkStamp },
  { isOwnBookmark, isImported, stamp }: RawWaypointTexts,
): void {
  if (isOwnBookmark === true) waypoint.isOwnBookmark = true;
  if (isImported === true) waypoint.isImported = true;
  if (stamp !== undefined) waypoint.stamp = stamp;
}
