import type { BookmarkStamp, MirrorMark, Tombstone } from '../model/recording.ts';
import { waypointFields, type FieldName, type WaypointFields } from '../model/waypoint-fields.ts';
import type { Waypoint } from '../model/waypoint.ts';

/** The namespace of our own GPX extension: a waypoint's tags, and that it was a bookmark. A name, not an address. */
export const gpxExtensionNamespace = 'https://waypointd.invalid/gpx/1';

/** A waypoint with raw tags. */
export type GpxWaypoint = Omit<Waypoint, 'bookmark' | 'tags'> & {
  /** Has it marked as one, so that an import does not take it for an observation. */
  readonly bookmark?: boolean | undefined;
  /** Set in a bookmarks file. */
  readonly stamp?: BookmarkStamp | undefined;
  readonly tags?: readonly string[] | undefined;
};

/** Names in the order that the schema of GPX 1.1 demands. */
const order = (
  'ele time magvar geoidheight name cmt desc src links sym type fix sat hdop vdop pdop ageofdgpsdata dgpsid' as const
)
  .split(' ')
  .filter((name): name is 'name' | FieldName => name === 'name' || name in waypointFields);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const special = /[&<>"']/gu;
/** Characters that XML 1.0 forbids even escaped (section 2.2), and line ends that a reader would change. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const illegal = /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/gu;

/** The start of a GPX 1.1 document; `time` is ISO 8601 UTC, left out when its bytes must not depend on the clock. */
export function gpxHead(time?: string): string {
  return gpxStart(time === undefined ? '' : `<metadata><time>${time}</time></metadata>\n`);
}

/** The start of a bookmarks file, up to its tombstones. */
export function gpxMirrorHead({ store, written }: MirrorMark): string {
  return gpxStart(`<metadata><extensions><wd:mirror store="${store}" written="${written}"/>\n`);
}

/** The tombstones of a bookmarks file, and the end of its metadata. */
export function gpxTombstones(tombstones: readonly Tombstone[]): string {
  const lines = tombstones.map(({ id, at }) => `<wd:deleted id="${id}" at="${at}"/>\n`);
  return `${lines.join('')}</extensions></metadata>\n`;
}

function gpxStart(metadata: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="waypointd" xmlns="http://www.topografix.com/GPX/1/1" xmlns:wd="${gpxExtensionNamespace}">
${metadata}`;
}

/** One `<wpt>`, its elements in the order the GPX 1.1 schema demands, with a line feed. */
export function gpxWaypoint(waypoint: GpxWaypoint): string {
  const { lat, lon, bookmark = false, stamp, tags = [] } = waypoint;
  const list = tags.map((tag) => `<wd:tag>${escapeXml(tag)}</wd:tag>`).join('');
  const ours =
    (list === '' ? '' : `<wd:tags>${list}</wd:tags>`) +
    (stamp === undefined ? (bookmark ? '<wd:bookmark/>' : '') : stampElement(stamp));
  return [
    gpxPointStart('wpt', lat, lon),
    gpxFields(waypoint),
    ours === '' ? '' : `<extensions>${ours}</extensions>`,
    '</wpt>\n',
  ].join('');
}

function stampElement({ id, changed, hash }: BookmarkStamp): string {
  return `<wd:bookmark id="${id}" changed="${changed}" hash="${hash}"/>`;
}

/** The start tag of a point; degrees. */
export function gpxPointStart(name: 'wpt' | 'trkpt' | 'rtept', lat: number, lon: number): string {
  return `<${name} lat="${decimalText(lat)}" lon="${decimalText(gpxLongitude(lon))}">`;
}

/** The name and the optional fields of a waypoint, track or route. */
export function gpxFields(fields: WaypointFields & { readonly name?: string | undefined }): string {
  return order.map((name) => gpxField(name, fields[name])).join('');
}

function gpxField(name: string, value: WaypointFields[FieldName]): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return `<${name}>${decimalText(value)}</${name}>`;
  if (typeof value === 'string') return gpxElement(name, value);
  return value
    .map(({ href, text }) => `<link href="${escapeXml(href)}">${gpxElement('text', text)}</link>`)
    .join('');
}

/** An element with a text; nothing without one. */
export function gpxElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`;
}

/** The end of a GPX document. */
export function gpxTail(): string {
  return '</gpx>\n';
}

/** Escapes a text for element content; characters that XML cannot hold become blanks. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(illegal, ' ')
    .replace(special, (character) => entities[character] ?? character);
}

/** The schema's longitudes end before 180, which is the same meridian as -180. */
function gpxLongitude(lon: number): number {
  return lon === 180 ? -180 : lon;
}

/** Writes a finite number with all its digits but without an exponent, which `xsd:decimal` does not know. */
export function decimalText(value: number): string {
  const [digits = '0', exponentText] = String(value).split('e');
  if (exponentText === undefined) return digits;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const exponent = Number(exponentText);
  if (exponent < 0)
    return `${sign}0.${(whole + fraction).padStart(fraction.length - exponent, '0')}`;
  return sign + whole + fraction.padEnd(exponent, '0');
}
