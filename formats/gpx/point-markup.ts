import { copyText } from './copy-text.ts';
import { GpxRefused } from './refused.ts';
import type { PointElement } from './canonical-points.ts';
import type { XmlSink } from './xml-sink.ts';
import { decodeReferences } from './xml-values.ts';

/** Characters of one point's kept markup: its attributes, name, elevation, time, note and tags. */
const maxPointLength = 1_048_576;

/** A place in a GPX document. What is not in this tree is passed over, so a point is where the tree leads, nowhere else. */
interface Place {
  readonly element: string;
  /** A value's text is kept; a point's attributes are, too. */
  readonly role: 'path' | 'point' | 'value';
  readonly children: ReadonlyMap<string, Place>;
  /** Children are known by their local names, whatever the prefix: our tags, inside `extensions`. */
  readonly takesAnyPrefix: boolean;
}

function place(element: string, role: Place['role'], ...children: Place[]): Place {
  const byName = new Map(children.map((child) => [child.element, child]));
  const takesAnyPrefix = element === 'extensions' || element === 'tags';
  return { element, role, children: byName, takesAnyPrefix };
}

function values(...elements: string[]): Place[] {
  return elements.map((element) => place(element, 'value'));
}

const tags = place('tags', 'path', ...values('tag'));
const waypoint = place(
  'wpt',
  'point',
  ...values('ele', 'time', 'name', 'desc'),
  place('extensions', 'path', tags),
);
const trackPoint = place('trkpt', 'point', ...values('ele', 'time'));
const segment = place('trkseg', 'path', trackPoint);
const root = place('gpx', 'path', waypoint, place('trk', 'path', segment));

/**
 * Picks the points out of a document: reduces them to the markup that holds their values, without anything between, and
 * hands that on at the end of every buffer. What it hands on looks like `<wpt lat="1" lon='2'><name>a&amp;b</name></wpt>`.
 */
export class PointMarkup implements XmlSink {
  readonly #take: (markup: string) => void;
  /** For each open element its place; undefined outside the tree. */
  readonly #places: (Place | undefined)[] = [];
  #prefixes: ReadonlySet<string> = new Set();
  #isGpx = false;
  /** The markup of the points finished in this buffer. */
  #finished = '';
  /** The markup of the point being read: from this buffer, and copied from earlier ones. */
  #point = '';
  #pointBefore = '';

  /** @param take - gets the markup of whole points, never empty. */
  constructor(take: (markup: string) => void) {
    this.#take = take;
  }

  /** The root element is called `gpx`. */
  get isGpx(): boolean {
    return this.#isGpx;
  }

  /** The points that may begin here without a prefix; undefined = none. */
  get pointsHere(): PointElement | undefined {
    if (!this.#prefixes.has('')) return undefined;
    const here = this.#places.at(-1);
    if (here === segment) return 'trkpt';
    return here === root ? 'wpt' : undefined;
  }

  startTag(name: string, text: string, start: number, end: number): void {
    if (this.#places.length === 0) {
      this.#isGpx = localName(name) === root.element;
      if (this.#isGpx) this.#prefixes = gpxPrefixes(name, text.slice(start, end));
      this.#places.push(this.#isGpx ? root : undefined);
      return;
    }
    const found = this.#find(name, this.#places.at(-1));
    this.#places.push(found);
    if (found?.role === 'point') this.#keep(`<${found.element}${text.slice(start, end)}>`);
    if (found?.role === 'value') this.#keep(`<${found.element}>`);
  }

  endTag(): void {
    const closed = this.#places.pop();
    if (closed === undefined || closed.role === 'path') return;
    this.#keep(`</${closed.element}>`);
    if (closed.role === 'value') return;
    this.#finished += this.#pointBefore + this.#point;
    this.#pointBefore = '';
    this.#point = '';
  }

  characters(text: string, start: number, end: number): void {
    if (this.#places.at(-1)?.role === 'value') this.#keep(text.slice(start, end));
  }

  cdata(text: string, start: number, end: number): void {
    // A section in several spans becomes several sections, which say the same.
    if (this.#places.at(-1)?.role === 'value') {
      this.#keep(`<![CDATA[${text.slice(start, end)}]]>`);
    }
  }

  bufferDone(): void {
    if (this.#finished !== '') this.#take(this.#finished);
    this.#finished = '';
    this.#pointBefore += copyText(this.#point);
    this.#point = '';
  }

  #keep(markup: string): void {
    this.#point += markup;
    if (this.#pointBefore.length + this.#point.length > maxPointLength)
      throw new GpxRefused('too_large');
  }

  #find(name: string, parent: Place | undefined): Place | undefined {
    if (parent === undefined || parent.children.size === 0) return undefined;
    const isOurs = parent.takesAnyPrefix || this.#prefixes.has(prefixOf(name));
    return isOurs ? parent.children.get(localName(name)) : undefined;
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
function gpxPrefixes(rootName: string, attributes: string): ReadonlySet<string> {
  const bound = bindings(attributes);
  const own = prefixOf(rootName);
  const namespace = bound.get(own);
  const prefixes = new Set([own]);
  if (!bound.has('')) prefixes.add('');
  for (const [prefix, uri] of bound) if (uri === namespace) prefixes.add(prefix);
  return prefixes;
}

/** The namespaces that well-formed attributes declare, by their prefixes. */
function bindings(attributes: string): ReadonlyMap<string, string> {
  const bound = new Map<string, string>();
  for (const [, name = '', double, single = ''] of attributes.matchAll(attributePattern)) {
    const isBinding = name === 'xmlns' || name.startsWith('xmlns:');
    const uri = (double ?? single).replaceAll(/\r\n|[\t\r\n]/g, ' ');
    if (isBinding) bound.set(name.slice('xmlns:'.length), decodeReferences(uri));
  }
  return bound;
}

const attributePattern = /([^ \t\r\n=]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/g;
