import { formatTime } from '../../model/time.ts';
import { PointHolder, type ExportWriter, type HeldPoints } from './export-writer.ts';

/**
 * GeoJSON features (RFC 7946): longitude first, the elevation as third coordinate. A segment of a track is a LineString
 * with its times in `coordTimes`, as togeojson and others write them; a very long one is several.
 */
export function geojsonExport(): ExportWriter {
  let separator = '';
  const feature = (geometry: object, properties: object): string => {
    const text = separator + JSON.stringify({ type: 'Feature', geometry, properties });
    separator = ',\n';
    return text;
  };
  const holder = new PointHolder((held) => feature(geometryOf(held), propertiesOf(held)));
  return {
    head: '{"type":"FeatureCollection","features":[\n',
    waypoint({ lat, lon, ele, ...properties }) {
      const coordinates = ele === undefined ? [lon, lat] : [lon, lat, ele];
      return feature({ type: 'Point', coordinates }, properties);
    },
    points: (given) => holder.add(given),
    end: () => `${holder.flush()}\n]}\n`,
  };
}

function geometryOf({ points }: HeldPoints): object {
  const coordinates = points.map(({ lat, lon, ele }) =>
    Number.isNaN(ele) ? [lon, lat] : [lon, lat, ele],
  );
  // A line has two positions at least.
  return { type: points.length > 1 ? 'LineString' : 'MultiPoint', coordinates };
}

function propertiesOf({ kind, texts, line, segment, points, isTimed }: HeldPoints): object {
  const names = points.some(({ name }) => name !== undefined);
  return {
    kind,
    ...texts,
    [kind]: line,
    ...(kind === 'track' && { segment }),
    ...(isTimed && { coordTimes: points.map(({ timeMs }) => formatTime(timeMs)) }),
    ...(names && { coordNames: points.map(({ name }) => name ?? null) }),
  };
}
