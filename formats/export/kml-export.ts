import type { LinePoint } from '../../model/recording.ts';
import { formatTime } from '../../model/time.ts';
import { textFields, type WaypointFields } from '../../model/waypoint-fields.ts';
import type { Waypoint } from '../../model/waypoint.ts';
import { decimalText, escapeXml, gpxExtensionNamespace } from '../gpx-text.ts';
import {
  eachPoint,
  PointHolder,
  rawTags,
  type ExportWriter,
  type HeldPoints,
} from './export-writer.ts';

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
    *end() {
      yield* holder.flush();
      yield '</Document></kml>\n';
    },
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
  const head = placemark({ name, desc }, when, data, bookmark ? '<wd:bookmark/>' : '');
  return head + point + placemarkEnd;
}

function* lineText({ texts, points, isTimed }: HeldPoints): Generator<string> {
  yield placemark(texts, '', furtherOf(texts));
  if (isTimed) {
    yield '<gx:Track>\n';
    yield* eachPoint(points, '', ({ timeMs }) => `<when>${formatTime(timeMs)}</when>\n`);
    yield* eachPoint(points, '', (at) => `<gx:coord>${coordinates(at, ' ')}</gx:coord>\n`);
    yield '</gx:Track>';
  } else {
    yield '<LineString><coordinates>';
    yield* eachPoint(points, '\n', (point) => coordinates(point, ','));
    yield '</coordinates></LineString>';
  }
  yield placemarkEnd;
}

/** Texts that KML has no elements for. */
function furtherOf(fields: WaypointFields): Record<string, string | undefined> {
  const names = textFields.filter((name) => name !== 'desc');
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

const placemarkEnd = '</Placemark>\n';

/**
 * The beginning of a placemark, which its geometry and the end follow.
 * @param data what KML has no elements for.
 * @param mark of a bookmark, so that an import does not take it for an observation.
 */
function placemark(
  { name, desc }: Partial<Pick<Waypoint, 'name' | 'desc'>>,
  when: string,
  data: Readonly<Record<string, string | undefined>>,
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
  ].join('');
}

function coordinates(
  { lat, lon, ele }: Pick<LinePoint, 'lat' | 'lon' | 'ele'>,
  separator: string,
): string {
  const numbers = Number.isNaN(ele) ? [lon, lat] : [lon, lat, ele];
  return numbers.map(decimalText).join(separator);
}
