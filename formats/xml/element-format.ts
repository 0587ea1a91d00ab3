import type { Buffer } from 'node:buffer';
import type { FormatName } from '../../model/recorder-formats.ts';
import { recordedBy, type Format } from '../format.ts';
import type { Recording } from '../points/recording.ts';
import { WholeElements } from './element-run.ts';
import { ElementTree, type ElementListener } from './element-tree.ts';
import { XmlDocument } from './xml-document.ts';

/** Describes a format of XML documents. */
interface ElementFormat {
  readonly name: FormatName;
  readonly root: string;
  /** Other roots, in a namespace: where that does not show, only the ending of a file tells. */
  readonly parts?: { readonly roots: readonly string[]; readonly namespace: RegExp };
  /** Names of the elements that there are many of, side by side. */
  readonly runs: readonly string[];
  readonly listener: (recording: Recording) => ElementListener;
}

/** A format whose documents are known by the name of their root. */
export function elementFormat({ name, root, parts, runs, listener }: ElementFormat): Format {
  const { roots = [], namespace } = parts ?? {};
  return {
    name,
    recognises(head) {
      const found = rootName(head) ?? '';
      return (
        found === root ||
        (roots.includes(found) && namespace?.test(head.toString('latin1')) === true)
      );
    },
    read: recordedBy((recording) => {
      const tree = new ElementTree(listener(recording), [root, ...roots]);
      return new XmlDocument(tree, new WholeElements(tree, runs));
    }),
  };
}

/** A root's name without its prefix, behind what may stand before it: a mark, a declaration, comments, a document type. */
const root =
  /^(?:\uFEFF|\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)?\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[^])*-->\s*|<!DOCTYPE[^>[]*>\s*)*<(?:[\w.-]+:)?([\w.-]+)[\s/>]/;

/** The local name of the root of an XML document that begins so, in any encoding; undefined if it does not show. */
export function rootName(head: Buffer): string | undefined {
  // In UTF-16, ASCII characters are themselves and a zero byte.
  return root.exec(head.toString('latin1').replaceAll('\0', ''))?.[1];
}
