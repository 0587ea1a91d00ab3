import { elementFormat } from '../xml/element-format.ts';
import { KmlElements } from './kml-elements.ts';

/** KML 2.x, with the tracks that Google added to it. */
export const kmlFormat = elementFormat({
  name: 'kml',
  root: 'kml',
  runs: ['when', 'gx:coord', 'Placemark'],
  listener: (recording) => new KmlElements(recording),
});
