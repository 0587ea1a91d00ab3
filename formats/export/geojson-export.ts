import { formatTime } from '../../model/time.ts';
import { eachPoint, PointHolder, type ExportWriter, type HeldPoints } from './export-writer.ts';

/**
 * GeoJSON features (RFC 7946): longitude first, the elevation as third coordinate. A segment of a track is a LineString
 * with its times in `coordTimes`, as togeojson and others write them; a very long one is several.
 */
export function geojsonExport(): ExportWriter {
  let separator = '';
  const between = (): string => {
    const text = separator;
    separator = ',\n';
    return text;
  };
  const holder = new PointHolder(function* write(held) {
    yield between();
    yield* lineFeature(held);
  });
  return {
    head: '{"type":"FeatureCollection","features":[\n',
    waypoint({ lat, lon, ele, ...properties }) {
      const coordinates = ele === undefined ? [lon, lat] : [lon, lat, ele];
      const geometry = { type: 'Point', coordinates };
      return between() + JSON.stringify({ type: 'Feature', geometry, properties });
    },
    points: (given) => holder.add(given),
    *end() {
      yield* holder.flush();
      yield '\n]}\n';
    },
  };
}

function* lineFeature(held: HeldPoints): Generator<string> {
  const { kind, texts, line, segment, points, isTimed } = held;
  // A line has two positions at least.
  const type = points.length > 1 ? 'LineString' : 'MultiPoint';
  yield `{"type":"Feature","geometry":{"type":"${type}","coordinates":[`;
  yield* eachPoint(points, ',', ({ lat, lon, ele }) =>
    JSON.stringify(Number.isNaN(ele) ? [lon, lat] : [lon, lat, ele]),
  );
  const properties = { kind, ...texts, [kind]: line, ...(kind === 'track' && { segment }) };
  yield `]},"properties":${JSON.stringify(properties).slice(0, -1)}`;
  if (isTimed) {
    yield ',"coordTimes":[';
    yield* eachPoint(points, ',', ({ timeMs }) => `"${formatTime(timeMs)}"`);
    yield ']';
  }
  if (points.some(({ name }) => name !== undefined)) {
    yield ',"coordNames":[';
    yield* eachPoint(points, ',', ({ name }) => JSON.stringify(name ?? null));
    yield ']';
  }
  yield '}}';
}
