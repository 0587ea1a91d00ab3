import type { LinePoint } from '../../model/recording.ts';
import { formatTime } from '../../model/time.ts';
import type { Waypoint } from '../../model/waypoint.ts';
import { decimalText, escapeXml, gpxExtensionNamespace } from '../gpx-text.ts';
import { PointHolder, rawTags, type ExportWriter, type HeldPoints } from './export-writer.ts';

const head = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2" xmlns:wd="${gpxExtensionNamespace}"><Document>
`;

/**
 * KML 2.2 with Google's tracks: a placemark for each waypoint and for each segment, which is a gx:Track where its points
 * have times, else a LineString; a very long one is several.
 */
export function kmlExport(): ExportWriter {
  const holder = new PointHolder(lineText);
  return {
    head,
    waypoint: waypointText,
    points: (given) => holder.add(given),
    end: () => `${holder.flush()}</Document></kml>\n`,
  };
}

function waypointText(waypoint: Waypoint): string {
  const { name, lat, lon, ele, time, desc, bookmark, links = [] } = waypoint;
  const data = {
    ...furtherOf(waypoint),
    tags: rawTags(waypoint).join(', ') || undefined,
    links: links.map(({ href }) => href).join(' ') || undefined,
  };
  const when = time === undefined ? '' : `<TimeStamp><when>${time}</when></TimeStamp>`;
  const at = { lat, lon, ele: ele ?? Number.NaN };
  const point = `<Point><coordinates>${coordinates(at, ',')}</coordinates></Point>`;
  return placemark({ name, desc }, when, data, point, bookmark ? '<wd:bookmark/>' : '');
}

function lineText({ texts, points, isTimed }: HeldPoints): string {
  return placemark(texts, '', furtherOf(texts), isTimed ? trackText(points) : lineString(points));
}

function trackText(points: readonly LinePoint[]): string {
  const whens = points.map(({ timeMs }) => `<when>${formatTime(timeMs)}</when>\n`).join('');
  const coords = points
    .map((point) => `<gx:coord>${coordinates(point, ' ')}</gx:coord>\n`)
    .join('');
  return `<gx:Track>\n${whens}${coords}</gx:Track>`;
}

function lineString(points: readonly LinePoint[]): string {
  const list = points.map((point) => coordinates(point, ',')).join('\n');
  return `<LineString><coordinates>${list}</coordinates></LineString>`;
}

function furtherOf({ sym, type, cmt, src }: Partial<Waypoint>): Record<string, string | undefined> {
  return { sym, type, cmt, src };
}

/**
 * @param data what KML has no elements for.
 * @param mark of a bookmark, so that an import does not take it for an observation.
 */
function placemark(
  { name, desc }: Partial<Pick<Waypoint, 'name' | 'desc'>>,
  when: string,
  data: Readonly<Record<string, string | undefined>>,
  geometry: string,
  mark = '',
): string {
  const values = Object.entries(data).map(([key, value]) =>
    value === undefined ? '' : `<Data name="${key}"><value>${escapeXml(value)}</value></Data>`,
  );
  const extended = values.join('') + mark;
  return [
    '<Placemark>',
    name === undefined ? '' : `<name>${escapeXml(name)}</name>`,
    desc === undefined ? '' : `<description>${escapeXml(desc)}</description>`,
    when,
    extended === '' ? '' : `<ExtendedData>${extended}</ExtendedData>`,
    geometry,
    '</Placemark>\n',
  ].join('');
}

function coordinates(
  { lat, lon, ele }: Pick<LinePoint, 'lat' | 'lon' | 'ele'>,
  separator: string,
): string {
  const numbers = Number.isNaN(ele) ? [lon, lat] : [lon, lat, ele];
  return numbers.map(decimalText).join(separator);
}
