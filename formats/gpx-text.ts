import type { Waypoint } from '../model/waypoint.ts';

/** The namespace of our own GPX extension, which holds a waypoint's tags. A name, not an address. */
const gpxExtensionNamespace = 'https://waypointd.invalid/gpx/1';

/** What a GPX waypoint is written from: a waypoint with its tags raw. */
export type GpxWaypoint = Omit<Waypoint, 'bookmark' | 'tags'> & {
  readonly tags?: readonly string[] | undefined;
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const special = /[&<>"']/gu;
/** What XML 1.0 cannot hold, not even escaped (section 2.2), and the line ends a reader would change. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const illegal = /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/gu;

/** The start of a GPX 1.1 document; `time` is ISO 8601 UTC, left out when its bytes must not depend on the clock. */
export function gpxHead(time?: string): string {
  const metadata = time === undefined ? '' : `<metadata><time>${time}</time></metadata>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="waypointd" xmlns="http://www.topografix.com/GPX/1/1" xmlns:wd="${gpxExtensionNamespace}">
${metadata}`;
}

/** One `<wpt>`, its elements in the order the GPX 1.1 schema demands, with a line feed. */
export function gpxWaypoint({ name, lat, lon, ele, time, desc, tags }: GpxWaypoint): string {
  const parts = [`<wpt lat="${decimalText(lat)}" lon="${decimalText(gpxLongitude(lon))}">`];
  if (ele !== undefined) parts.push(`<ele>${decimalText(ele)}</ele>`);
  if (time !== undefined) parts.push(`<time>${escapeXml(time)}</time>`);
  parts.push(`<name>${escapeXml(name)}</name>`);
  if (desc !== undefined) parts.push(`<desc>${escapeXml(desc)}</desc>`);
  if (tags !== undefined && tags.length > 0) {
    const list = tags.map((tag) => `<wd:tag>${escapeXml(tag)}</wd:tag>`).join('');
    parts.push(`<extensions><wd:tags>${list}</wd:tags></extensions>`);
  }
  return `${parts.join('')}</wpt>\n`;
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
