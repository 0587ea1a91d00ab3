import type { Format } from '../format.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { WholeElements } from '../xml/element-run.ts';
import { ElementTree } from '../xml/element-tree.ts';
import { rootName } from '../xml/root-name.ts';
import { XmlDocument } from '../xml/xml-document.ts';
import { TcxElements } from './tcx-elements.ts';

const root = 'TrainingCenterDatabase';

/** Garmin's Training Center Database. */
export const tcxFormat: Format = {
  name: 'tcx',
  recognises: (head) => rootName(head) === root,
  read(source, sink, options) {
    const recording = new Recording(sink);
    const tree = new ElementTree(new TcxElements(recording), root);
    readBlocks(source, new XmlDocument(tree, new WholeElements(tree, ['Trackpoint'])), options);
    return recording.summary();
  },
};
