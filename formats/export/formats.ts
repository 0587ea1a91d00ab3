import { gpxHead, gpxTail, gpxWaypoint } from '../gpx-text.ts';
import type { Waypoint } from '../../model/waypoint.ts';
import { csvLine, withoutFormula } from './csv.ts';

export const exportFormats = ['gpx', 'geojson', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** How a format is written in pieces, so that a file of any size needs no more memory than one waypoint. */
export interface ExportWriter {
  readonly head: string;
  readonly waypoint: (waypoint: Waypoint, isFirst: boolean) => string;
  readonly tail: string;
}

/**
 * Makes the writer of a format.
 * @param time when the export is made, ISO 8601 UTC; GPX files say so.
 */
export function exportWriter(format: ExportFormat, time: string): ExportWriter {
  switch (format) {
    case 'gpx':
      return { head: gpxHead(time), waypoint: gpxOf, tail: gpxTail() };
    case 'geojson':
      return {
        head: '{"type":"FeatureCollection","features":[\n',
        waypoint: (waypoint, isFirst) =>
          (isFirst ? '' : ',\n') + JSON.stringify(featureOf(waypoint)),
        tail: '\n]}\n',
      };
    case 'csv':
      return { head: csvLine(csvColumns), waypoint: csvOf, tail: '' };
  }
}

function gpxOf(waypoint: Waypoint): string {
  return gpxWaypoint({ ...waypoint, tags: rawTags(waypoint) });
}

/** A GeoJSON feature (RFC 7946): longitude first, the elevation as third coordinate. */
function featureOf(waypoint: Waypoint) {
  const { lat, lon, ele, ...properties } = waypoint;
  const coordinates = ele === undefined ? [lon, lat] : [lon, lat, ele];
  return { type: 'Feature', geometry: { type: 'Point', coordinates }, properties };
}

const csvColumns = ['name', 'lat', 'lon', 'ele', 'time', 'desc', 'bookmark', 'tags'];

function csvOf(waypoint: Waypoint): string {
  const { name, lat, lon, ele, time, desc, bookmark } = waypoint;
  return csvLine([
    withoutFormula(name),
    String(lat),
    String(lon),
    ele === undefined ? '' : String(ele),
    time ?? '',
    withoutFormula(desc ?? ''),
    String(bookmark),
    withoutFormula(rawTags(waypoint).join(';')),
  ]);
}

function rawTags({ tags = [] }: Waypoint): string[] {
  return tags.map((tag) => (typeof tag === 'string' ? tag : tag.raw));
}
