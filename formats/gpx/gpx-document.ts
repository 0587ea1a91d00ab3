import type { Buffer } from 'node:buffer';
import type { BlockReader } from '../read-blocks.ts';
import { FileRefused } from '../refused.ts';
import { Recording } from '../points/recording.ts';
import type { RecordingSink, RecordingSummary } from '../../model/recording.ts';
import type { Runs } from '../xml/element-run.ts';
import { XmlDocument } from '../xml/xml-document.ts';
import { CanonicalPoints } from './canonical-points.ts';
import { GpxElements } from './gpx-elements.ts';
import type { PointElement } from './point-children.ts';

/** Which points stand side by side in an element, by its path. */
const pointsIn: ReadonlyMap<string, PointElement> = new Map([
  ['gpx/trk/trkseg', 'trkpt'],
  ['gpx/rte', 'rtept'],
  ['gpx', 'wpt'],
]);

/** A GPX document on its way from bytes to a sink. */
export class GpxDocument implements BlockReader<RecordingSummary> {
  readonly #recording: Recording;
  readonly #elements: GpxElements;
  readonly #document: XmlDocument;

  /** @param path - `plain` for tests: the short way is never tried. */
  constructor(sink: RecordingSink, path: 'auto' | 'plain') {
    this.#recording = new Recording(sink);
    this.#elements = new GpxElements(this.#recording);
    const runs = path === 'auto' ? pointRuns(this.#recording) : undefined;
    this.#document = new XmlDocument(this.#elements, runs);
  }

  read(block: Buffer, from: number): number {
    return this.#document.read(block, from);
  }

  end(rest: Buffer): RecordingSummary {
    this.#document.end(rest);
    if (!this.#elements.isGpx) throw new FileRefused('not_gpx');
    return this.#recording.summary();
  }
}

/** The points that stand directly inside `gpx`, `rte` or `trkseg`. */
function pointRuns(recording: Recording): Runs {
  const canonical = new CanonicalPoints(recording);
  return {
    starts: [...pointsIn.values()].map((name) => `<${name}`),
    // The sink gets the points in their order.
    heardBefore: /wpt|trkpt|rtept/,
    here({ open, openOrdinals }) {
      const element = pointsIn.get(open.join('/'));
      if (element === undefined) return undefined;
      // Names of tracks may come later than their points: the tags between segments are not read yet.
      const [, line = 0, segment] = openOrdinals;
      return (stretch) => {
        if (element !== 'wpt')
          recording.at(element === 'trkpt' ? 'track' : 'route', line, segment ?? line);
        return canonical.take(stretch, element);
      };
    },
  };
}
