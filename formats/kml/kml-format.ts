import type { Format } from '../format.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { WholeElements } from '../xml/element-run.ts';
import { ElementTree } from '../xml/element-tree.ts';
import { rootName } from '../xml/root-name.ts';
import { XmlDocument } from '../xml/xml-document.ts';
import { KmlElements } from './kml-elements.ts';

/** What there are many of, side by side. */
const runs = ['when', 'gx:coord', 'Placemark'];

/** KML 2.x, with the tracks that Google added to it. */
export const kmlFormat: Format = {
  name: 'kml',
  recognises: (head) => rootName(head) === 'kml',
  read(source, sink, options) {
    const recording = new Recording(sink);
    const tree = new ElementTree(new KmlElements(recording), 'kml');
    readBlocks(source, new XmlDocument(tree, new WholeElements(tree, runs)), options);
    return recording.summary();
  },
};
