import { FileRefused } from '../refused.ts';
import type { Attributes, XmlHandler } from '../xml/read-piece.ts';
import type { PointCounts } from '../points/point-counts.ts';
import { parseDegrees, parseNumber, parsePointTime } from '../points/point-values.ts';

/** Characters of one point's name, elevation, time, note and tags. */
const maxPointLength = 1_048_576;
/** What an empty value counts, so that there are not too many. */
const valueLength = 16;

type TextElement = 'ele' | 'time' | 'name' | 'desc';
type Role = 'path' | 'trkpt' | 'wpt' | 'tag' | TextElement;

/** A place in a GPX document. What is not in this tree is passed over, so a point is where the tree leads, nowhere else. */
interface Place {
  readonly role: Role;
  readonly children: ReadonlyMap<string, Place>;
  /** Children are known by their local names, whatever the prefix: our tags, inside `extensions`. */
  readonly takesAnyPrefix: boolean;
}

function place(
  role: Role,
  children: Readonly<Record<string, Place>>,
  takesAnyPrefix = false,
): Place {
  return { role, children: new Map(Object.entries(children)), takesAnyPrefix };
}

const values = { ele: place('ele', {}), time: place('time', {}) };
const texts = { name: place('name', {}), desc: place('desc', {}) };
const tags = place('path', { tag: place('tag', {}) }, true);
const extensions = place('path', { tags }, true);
const waypoint = place('wpt', { ...values, ...texts, extensions });
const segment = place('path', { trkpt: place('trkpt', values) });
const root = place('path', { wpt: waypoint, trk: place('path', { trkseg: segment }) });

/** A point as its markup says it. */
interface RawPoint {
  readonly attributes: Attributes;
  readonly texts: Map<TextElement, string>;
  readonly tags: string[];
}

/** Turns the elements of a GPX document into points. */
export class GpxElements implements XmlHandler {
  readonly #counts: PointCounts;
  /** For each open element its place; undefined outside the tree. */
  readonly #places: (Place | undefined)[] = [];
  #prefixes: ReadonlySet<string> = new Set();
  #isGpx = false;
  #point: RawPoint | undefined;
  #pointLength = 0;
  /** The text being read; undefined for a second one of its kind, which is ignored. */
  #textElement: TextElement | undefined;

  constructor(counts: PointCounts) {
    this.#counts = counts;
  }

  /** The root element is called `gpx`. */
  get isGpx(): boolean {
    return this.#isGpx;
  }

  open(name: string, attributes: Attributes): void {
    const isRoot = this.#places.length === 0;
    if (isRoot) this.#isGpx = localName(name) === 'gpx';
    if (isRoot && this.#isGpx) this.#prefixes = gpxPrefixes(name, attributes);
    const here = isRoot ? (this.#isGpx ? root : undefined) : this.#find(name);
    this.#places.push(here);
    if (here !== undefined && here.role !== 'path') this.#openRole(here.role, attributes);
  }

  text(text: string): void {
    const role = this.#places.at(-1)?.role;
    const point = this.#point;
    if (point === undefined || role === undefined) return;
    if (role === 'tag') point.tags.push((point.tags.pop() ?? '') + text);
    else if (this.#textElement === role) {
      point.texts.set(role, (point.texts.get(role) ?? '') + text);
    } else return;
    this.#lengthen(text.length);
  }

  close(): void {
    const role = this.#places.pop()?.role;
    if (this.#point === undefined || (role !== 'trkpt' && role !== 'wpt')) return;
    this.#deliver(role, this.#point);
    this.#point = undefined;
  }

  #openRole(role: Exclude<Role, 'path'>, attributes: Attributes): void {
    if (role === 'trkpt' || role === 'wpt') {
      this.#point = { attributes, texts: new Map(), tags: [] };
      this.#pointLength = 0;
      return;
    }
    this.#lengthen(valueLength);
    if (role === 'tag') this.#point?.tags.push('');
    else {
      this.#textElement = this.#point?.texts.has(role) === true ? undefined : role;
      if (this.#textElement !== undefined) this.#point?.texts.set(role, '');
    }
  }

  #lengthen(length: number): void {
    this.#pointLength += length;
    if (this.#pointLength > maxPointLength) throw new FileRefused('too_large');
  }

  #find(name: string): Place | undefined {
    const parent = this.#places.at(-1);
    if (parent === undefined || parent.children.size === 0) return undefined;
    const isOurs = parent.takesAnyPrefix || this.#prefixes.has(prefixOf(name));
    return isOurs ? parent.children.get(localName(name)) : undefined;
  }

  #deliver(role: 'trkpt' | 'wpt', { attributes, texts: said, tags: saidTags }: RawPoint): void {
    const lat = parseDegrees(attributes['@lat'], 90) ?? Number.NaN;
    const lon = parseDegrees(attributes['@lon'], 180) ?? Number.NaN;
    const ele = parseNumber(said.get('ele')) ?? Number.NaN;
    const timeMs = parsePointTime(said.get('time'));
    if (role === 'trkpt') {
      this.#counts.trackPoint(lat, lon, ele, timeMs);
      return;
    }
    const name = said.get('name') ?? '';
    const desc = said.get('desc') ?? '';
    this.#counts.waypoint(lat, lon, ele, timeMs, { name, desc, tags: saidTags });
  }
}

function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(':')));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/**
 * The prefixes of GPX elements: the root's own, others that the root binds to the same namespace, and none, unless the
 * root binds that to another one. Declarations further inside are rare and not looked at.
 */
function gpxPrefixes(rootName: string, attributes: Attributes): ReadonlySet<string> {
  const bound = new Map<string, string>();
  for (const [name, uri] of Object.entries(attributes)) {
    const isBinding = name === '@xmlns' || name.startsWith('@xmlns:');
    if (isBinding) bound.set(name.slice('@xmlns:'.length), uri.replaceAll(/[\t\n]/g, ' '));
  }
  const own = prefixOf(rootName);
  const namespace = bound.get(own);
  const prefixes = new Set([own]);
  if (!bound.has('')) prefixes.add('');
  for (const [prefix, uri] of bound) if (uri === namespace) prefixes.add(prefix);
  return prefixes;
}
