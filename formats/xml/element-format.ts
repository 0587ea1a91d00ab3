import type { FormatName } from '../../model/recorder-formats.ts';
import { recordedBy, type Format } from '../format.ts';
import type { Recording } from '../points/recording.ts';
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
    read: recordedBy((recording) => {
      const tree = new ElementTree(listener(recording), root);
      return new XmlDocument(tree, new WholeElements(tree, runs));
    }),
  };
}
