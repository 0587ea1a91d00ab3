import { formatTime } from '../../model/time.ts';
import {
  decimalText,
  gpxElement,
  gpxHead,
  gpxPointStart,
  gpxTail,
  gpxFields,
  gpxWaypoint,
} from '../gpx-text.ts';
import type { LinePoint, LinePoints } from '../../model/recording.ts';
import { rawTags, type ExportWriter } from './export-writer.ts';

/** @param time when the export is made, ISO 8601 UTC. */
export function gpxExport(time: string): ExportWriter {
  let open: LinePoints | undefined;
  const close = (): string => {
    const last = open;
    open = undefined;
    if (last === undefined) return '';
    return last.kind === 'route' ? '</rte>\n' : '</trkseg></trk>\n';
  };
  return {
    head: gpxHead(time),
    waypoint: (waypoint) => gpxWaypoint({ ...waypoint, tags: rawTags(waypoint) }),
    points(given) {
      const parts: string[] = [];
      const isTrack = given.kind === 'track';
      if (open?.line !== given.line) {
        parts.push(close(), isTrack ? '<trk>' : '<rte>', gpxFields(given.texts), '\n');
        if (isTrack) parts.push('<trkseg>\n');
      } else if (isTrack && open.segment !== given.segment) parts.push('</trkseg><trkseg>\n');
      open = given;
      const name = isTrack ? 'trkpt' : 'rtept';
      for (const point of given.points) parts.push(pointText(name, point));
      return [parts.join('')];
    },
    end: () => [close() + gpxTail()],
  };
}

function pointText(element: 'trkpt' | 'rtept', { lat, lon, ele, timeMs, name }: LinePoint): string {
  const eleText = Number.isNaN(ele) ? '' : `<ele>${decimalText(ele)}</ele>`;
  const time = Number.isNaN(timeMs) ? '' : `<time>${formatTime(timeMs)}</time>`;
  return `${gpxPointStart(element, lat, lon)}${eleText}${time}${gpxElement('name', name)}</${element}>\n`;
}
