import type { FormatName } from '../../model/recorder-formats.ts';
import type { Format } from '../format.ts';
import { Recording } from '../points/recording.ts';
import { readBlocks } from '../read-blocks.ts';
import { WholeElements } from './element-run.ts';
import { ElementTree, type ElementListener } from './element-tree.ts';
import { rootName } from './root-name.ts';
import { XmlDocument } from './xml-document.ts';

/** What a format of XML documents says about itself. */
interface ElementFormat {
  readonly name: FormatName;
  readonly root: string;
  /** Names of the elements that there are many of, side by side. */
  readonly runs: readonly string[];
  readonly listener: (recording: Recording) => ElementListener;
}

/** A format whose documents are known by the name of their root. */
export function elementFormat({ name, root, runs, listener }: ElementFormat): Format {
  return {
    name,
    recognises: (head) => rootName(head) === root,
    read(source, sink, options) {
      const recording = new Recording(sink);
      const tree = new ElementTree(listener(recording), root);
      readBlocks(source, new XmlDocument(tree, new WholeElements(tree, runs)), options);
      return recording.summary();
    },
  };
}
