import { FileRefused } from '../refused.ts';
import type { Attributes, XmlHandler } from '../xml/read-piece.ts';
import type { RawTexts, Recording } from '../points/recording.ts';
import type { BookmarkStamp, MirrorMark, Tombstone } from '../../model/recording.ts';
import { isLineField, textFields, type TextField } from '../../model/waypoint-fields.ts';
import { parseDegrees, parseNumber, parsePointTime } from '../points/point-values.ts';

/** Characters of what one point, track or route says about itself. */
const maxTextsLength = 1_048_576;
/** Characters that an empty value counts for, to bound their number. */
const valueLength = 16;

type TextElement = 'ele' | 'time' | 'name' | 'url' | 'urlname' | TextField;
/** Elements of a subject beside its texts. */
type Mark = 'tag' | 'bookmark' | 'imported' | 'link' | 'linkText';
/** Elements with texts: points, and the lines that they are in. */
type Subject = 'trkpt' | 'rtept' | 'wpt' | 'trk' | 'rte';
type Role = 'path' | 'trkseg' | 'mirror' | 'deleted' | Mark | Subject | TextElement;

/** A place in a GPX document. What is not in this tree is passed over, so a point is where the tree leads, nowhere else. */
interface Place {
  readonly role: Role;
  readonly children: ReadonlyMap<string, Place>;
  /** Children are known by their local names, whatever the prefix: ours, inside `extensions`. */
  readonly allowsAnyPrefix: boolean;
}

function place(
  role: Role,
  children: Readonly<Record<string, Place>> = {},
  allowsAnyPrefix = false,
): Place {
  return { role, children: new Map(Object.entries(children)), allowsAnyPrefix };
}

function values(...roles: readonly TextElement[]): Record<string, Place> {
  return Object.fromEntries(roles.map((role) => [role, place(role)]));
}

const link = place('link', { text: place('linkText') });
// `url` and `urlname` are GPX 1.0.
const texts = { ...values('name', 'url', 'urlname', ...textFields.filter(isLineField)), link };
const ours = {
  tags: place('path', { tag: place('tag') }, true),
  bookmark: place('bookmark'),
  imported: place('imported'),
};
const extensions = place('path', ours, true);
const waypoint = place('wpt', { ...texts, ...values('ele', 'time', ...textFields), extensions });
const segment = place('trkseg', { trkpt: place('trkpt', values('ele', 'time')) });
const route = place('rte', { ...texts, rtept: place('rtept', values('ele', 'name')) });
const track = place('trk', { ...texts, trkseg: segment });
const mirror = place('path', { mirror: place('mirror'), deleted: place('deleted') }, true);
const metadata = place('path', { extensions: mirror });
const root = place('path', { wpt: waypoint, trk: track, rte: route, metadata });

/** Fields of a point or a line, as they are read. */
interface RawSubject {
  readonly attributes: Attributes;
  readonly texts: Map<TextElement, string>;
  readonly links: { href: string; text: string }[];
  readonly tags: string[];
  isOwnBookmark: boolean;
  isImported: boolean;
  stamp?: BookmarkStamp | undefined;
  /** Characters in its texts. */
  length: number;
}

/** Turns the elements of a GPX document into points, tracks and routes. */
export class GpxElements implements XmlHandler {
  readonly #recording: Recording;
  /** For each open element its place; undefined outside the tree. */
  readonly #places: (Place | undefined)[] = [];
  #prefixes: ReadonlySet<string> = new Set();
  #isGpx = false;
  #point: RawSubject | undefined;
  #lineSubject: RawSubject | undefined;
  /** Which element each began with, counting all that began. */
  #ordinal = 0;
  #line = 0;
  #segment = 0;
  /** The text being read; undefined for a second one of its kind, which is ignored. */
  #textElement: TextElement | undefined;

  constructor(recording: Recording) {
    this.#recording = recording;
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
    this.#ordinal += 1;
    if (here !== undefined && here.role !== 'path') this.#openRole(here.role, attributes);
  }

  text(text: string): void {
    const role = this.#places.at(-1)?.role;
    const subject = this.#subject;
    if (subject === undefined || role === undefined) return;
    const lastLink = subject.links.at(-1);
    if (role === 'tag') subject.tags.push((subject.tags.pop() ?? '') + text);
    else if (role === 'linkText' && lastLink !== undefined) lastLink.text += text;
    else if (this.#textElement === role) {
      subject.texts.set(role, (subject.texts.get(role) ?? '') + text);
    } else return;
    this.#lengthen(text.length);
  }

  close(): void {
    const role = this.#places.pop()?.role;
    if (role === 'trk' || role === 'rte') this.#endLine();
    if (this.#point === undefined) return;
    if (role !== 'trkpt' && role !== 'rtept' && role !== 'wpt') return;
    this.#deliver(role, this.#point);
    this.#point = undefined;
  }

  /** The point or line that texts belong to. */
  get #subject(): RawSubject | undefined {
    return this.#point ?? this.#lineSubject;
  }

  #openRole(role: Exclude<Role, 'path'>, attributes: Attributes): void {
    if (role === 'trkseg') this.#segment = this.#ordinal;
    else if (role === 'trk' || role === 'rte') {
      this.#line = this.#segment = this.#ordinal;
      this.#lineSubject = newSubject(attributes);
    } else if (role === 'trkpt' || role === 'rtept' || role === 'wpt') {
      this.#point = newSubject(attributes);
    } else if (role === 'mirror') {
      const mark = parseMark(attributes);
      if (mark !== undefined) this.#recording.mirrorMark(mark);
    } else if (role === 'deleted') {
      const tombstone = parseTombstone(attributes);
      if (tombstone !== undefined) this.#recording.tombstone(tombstone);
    } else if (this.#subject !== undefined) this.#openText(role, attributes, this.#subject);
  }

  #openText(role: Mark | TextElement, attributes: Attributes, subject: RawSubject): void {
    this.#textElement = undefined;
    if (role === 'bookmark') {
      subject.isOwnBookmark = true;
      subject.stamp = parseStamp(attributes);
    } else if (role === 'imported') subject.isImported = true;
    else if (role === 'tag') subject.tags.push('');
    else if (role === 'link') {
      const href = attributes['@href'] ?? '';
      subject.links.push({ href, text: '' });
      this.#lengthen(href.length);
    } else if (role !== 'linkText' && !subject.texts.has(role)) {
      this.#textElement = role;
      subject.texts.set(role, '');
    }
    this.#lengthen(valueLength);
  }

  #lengthen(length: number): void {
    const subject = this.#subject;
    if (subject === undefined) return;
    subject.length += length;
    if (subject.length > maxTextsLength) throw new FileRefused('too_large');
  }

  #find(name: string): Place | undefined {
    const parent = this.#places.at(-1);
    if (parent === undefined || parent.children.size === 0) return undefined;
    const isOurs = parent.allowsAnyPrefix || this.#prefixes.has(prefixOf(name));
    return isOurs ? parent.children.get(localName(name)) : undefined;
  }

  #deliver(role: 'trkpt' | 'rtept' | 'wpt', subject: RawSubject): void {
    const { attributes, texts: said } = subject;
    const lat = parseDegrees(attributes['@lat'], 90);
    const lon = parseDegrees(attributes['@lon'], 180);
    const ele = parseNumber(said.get('ele'));
    const recording = this.#recording;
    this.beginPoints(role);
    if (role === 'rtept') recording.routePoint(lat, lon, ele, said.get('name'));
    else if (role === 'trkpt')
      recording.trackPoint(lat, lon, ele, parsePointTime(said.get('time')));
    else {
      const { tags, isOwnBookmark, isImported, stamp } = subject;
      const marks = { tags, isOwnBookmark, isImported, stamp };
      const raw = { ...textsOf(subject), ...marks };
      recording.waypoint(lat, lon, ele, parsePointTime(said.get('time')), raw);
    }
  }

  /** Tells where the next points are. */
  beginPoints(role: 'trkpt' | 'rtept' | 'wpt'): void {
    if (role === 'wpt') return;
    this.#recording.at(role === 'trkpt' ? 'track' : 'route', this.#line, this.#segment);
  }

  /** Hands on the whole texts of a line whose end a damaged file lacks. */
  endDamaged(): void {
    const role = this.#places.at(-1)?.role;
    this.#point = undefined;
    if (role === 'link' || role === 'linkText') this.#lineSubject?.links.pop();
    else if (role !== undefined && role === this.#textElement)
      this.#lineSubject?.texts.delete(role);
    this.#endLine();
  }

  #endLine(): void {
    const subject = this.#lineSubject;
    this.#lineSubject = undefined;
    if (subject !== undefined) this.#recording.lineTexts(this.#line, textsOf(subject));
  }
}

function newSubject(attributes: Attributes): RawSubject {
  const marks = { isOwnBookmark: false, isImported: false };
  return { attributes, texts: new Map(), links: [], tags: [], ...marks, length: 0 };
}

function textsOf({ texts: said, links }: RawSubject): RawTexts {
  const href = said.get('url');
  const former = href === undefined ? [] : [{ href, text: said.get('urlname') }];
  const raw: { -readonly [Name in keyof RawTexts]: RawTexts[Name] } = { name: said.get('name') };
  for (const name of textFields) raw[name] = said.get(name);
  if (href !== undefined || links.length > 0) raw.links = [...links, ...former];
  return raw;
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

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
const time = /^\d{1,15}$/u;

/** Reads `<wd:mirror store written>`; undefined for one of an older version or another program. */
function parseMark(attributes: Attributes): MirrorMark | undefined {
  const { '@store': store = '', '@written': written = '' } = attributes;
  if (!/^[0-9a-f]{16}$/u.test(store) || !time.test(written)) return undefined;
  return { store, written: Number(written) };
}

/** Reads `<wd:deleted id at>`. */
function parseTombstone(attributes: Attributes): Tombstone | undefined {
  const { '@id': id = '', '@at': at = '' } = attributes;
  return uuid.test(id) && time.test(at) ? { id, at: Number(at) } : undefined;
}

/** Reads `<wd:bookmark id changed hash>`; undefined for the mark of an export, which has none of them. */
function parseStamp(attributes: Attributes): BookmarkStamp | undefined {
  const { '@id': id = '', '@changed': changed = '', '@hash': hash = '' } = attributes;
  if (!uuid.test(id) || !time.test(changed)) return undefined;
  return { id, changed: Number(changed), hash };
}
