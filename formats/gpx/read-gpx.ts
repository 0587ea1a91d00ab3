import type { RecordingSink, RecordingSummary } from '../../model/recording.ts';
import { Recording } from '../points/recording.ts';
import { readRecording, type Format } from '../format.ts';
import type { ReadOptions } from '../read-blocks.ts';
import { FileRefused } from '../refused.ts';
import type { Runs } from '../xml/element-run.ts';
import { rootName } from '../xml/element-format.ts';
import { XmlDocument } from '../xml/xml-document.ts';
import { CanonicalPoints, type PointElement } from './canonical-points.ts';
import { GpxElements } from './gpx-elements.ts';

/** GPX 1.0 and 1.1, and what programs make of them. */
export const gpxFormat: Format = {
  name: 'gpx',
  recognises: (head) => rootName(head) === 'gpx',
  read: readGpx,
};

export interface ReadGpxOptions extends ReadOptions {
  /** For tests: `plain` has the whole document go the way that knows all of XML. */
  readonly path?: 'auto' | 'plain';
}

/** Which points stand side by side in an element, by its path. */
const pointsIn: ReadonlyMap<string, PointElement> = new Map([
  ['gpx/trk/trkseg', 'trkpt'],
  ['gpx/rte', 'rtept'],
  ['gpx', 'wpt'],
]);

/**
 * Reads a GPX document from pieces of bytes (which may be reused once the next one is asked for). Synchronous, for a worker
 * thread. Memory is bounded whatever the size: at most one unfinished token and one unfinished point of
 * 1 Mi characters each are held.
 * @throws FileRefused the content is not importable; what the sink got until then must be undone.
 * @throws ReadingCancelled
 * @throws errors of the iterable and of the sink, as they are.
 */
export function readGpx(
  source: Iterable<Uint8Array>,
  sink: RecordingSink,
  options: ReadGpxOptions = {},
): RecordingSummary {
  const recording = new Recording(sink);
  const elements = new GpxElements(recording);
  const runs = options.path === 'plain' ? undefined : pointRuns(recording, elements);
  const summary = readRecording(source, new XmlDocument(elements, runs), recording, options);
  if (!elements.isGpx) throw new FileRefused('not_gpx');
  if (summary.broken !== undefined) elements.endDamaged();
  return summary;
}

/** The points that stand directly inside `gpx`, `rte` or `trkseg`. */
function pointRuns(recording: Recording, elements: GpxElements): Runs {
  const canonical = new CanonicalPoints(recording);
  return {
    starts: [...pointsIn.values()].map((name) => `<${name}`),
    here(open) {
      const element = pointsIn.get(open.join('/'));
      if (element === undefined) return undefined;
      return (stretch) => {
        elements.beginPoints(element);
        return canonical.read(stretch, element);
      };
    },
  };
}
