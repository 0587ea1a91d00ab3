/** TCX and KML read by the short way (elements straight from the bytes) mean what they mean on the plain way. */
import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { FileRefused } from '../formats/refused.ts';
import { readBlocks } from '../formats/read-blocks.ts';
import { WholeElements } from '../formats/xml/element-run.ts';
import { ElementTree, type ElementListener } from '../formats/xml/element-tree.ts';
import { XmlDocument } from '../formats/xml/xml-document.ts';
import { rounds } from './helpers/effort.ts';

/** What a listener hears, and how the document ends. */
function heard(bytes: Buffer, isShort: boolean, pieceBytes: number): string[] {
  const events: string[] = [];
  const listener: ElementListener = {
    open: (name, parents) => void events.push(`open ${[...parents, name].join('/')}`),
    wants: (name) => (name === 'p' ? 'parts' : name === 'n' ? 'nothing' : 'whole'),
    text(name, text, parents) {
      const last = events.at(-1);
      // Parts of a text may be cut anywhere.
      if (name === 'p' && last?.startsWith('parts ') === true) events.push(events.pop()! + text);
      else
        events.push(`${name === 'p' ? 'parts' : 'text'} ${[...parents, name].join('/')} ${text}`);
    },
    close: (name, parents) => void events.push(`close ${[...parents, name].join('/')}`),
  };
  const tree = new ElementTree(listener, ['r']);
  const runs = isShort ? new WholeElements(tree, ['e', 'x:f']) : undefined;
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  };
  try {
    readBlocks(pieces(), new XmlDocument(tree, runs), {});
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return [`${error.reason} in line ${error.line}`];
  }
  return events;
}

const inner: readonly string[] = [
  '<e><a>1</a><b>2</b></e>',
  '<e/>',
  '<e a="1" b=\'&lt;\'/>',
  '<e>\r\n  <a>x\r\ny\rz</a>\r\n</e>\r\n',
  '<e>a&amp;b&#65;&#x1F600;&#13;</e>',
  '<e><![CDATA[<a>&amp;\r\n]]></e>',
  '<e>a<!-- c -->b<![CDATA[c]]>d</e>',
  '<e>a<b/>c</e>',
  '<e><p>1 2 3</p><n>no<a>yes</a></n></e>',
  '<e><p>1 2<a/>3</p></e>',
  '<e><p>1<!-- c --> 2<a>no</a><![CDATA[3]]></p></e>',
  '<e>ä€😀</e>',
  '<x:f y:z="1">t</x:f>',
  '<ee>longer name</ee>',
  '<e><e><e>deep</e></e></e>',
  '<e><?pi?></e>',
  '<!-- <e>no</e> -->',
  '<![CDATA[<e>no</e>]]>',
  '<o><e>a</e></o>',
  'text <e>in it</e> and behind',
  `<e>${'<d>'.repeat(20)}${'</d>'.repeat(20)}</e>`,
  `<e>${'long '.repeat(2_000)}</e>`,
  '<e><a></b></e>',
  '<e><a>x</a/></e>',
  '<e><a></e>',
  '<e>&unknown;</e>',
  '<e a="1" a="2"/>',
  '<e a=1/>',
  '<e>]]></e>',
  '<e>\u0001</e>',
  '<e><1/></e>',
  '<e',
  '</r><e/>',
];

test('each document is heard alike on both ways, in pieces of any size', (t) => {
  const good = '<e>good</e>\n'.repeat(3);
  for (const text of inner) {
    const bytes = Buffer.from(`<?xml version="1.0"?>\n<r>\n${good}${text}${good}</r>`);
    const plain = heard(bytes, false, 1_000_000);
    for (const pieceBytes of [1, 7, 64, 1_000_000])
      t.deepEqual(heard(bytes, true, pieceBytes), plain, `${text.slice(0, 40)} ${pieceBytes}`);
  }
});

test('so is a document of such parts in any order, and with any byte changed', (t) => {
  const change = fc.option(fc.tuple(fc.nat(), fc.nat(255)));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...inner.slice(0, 22)), { maxLength: 12 }),
      change,
      fc.integer({ min: 1, max: 500 }),
      (parts, changed, pieceBytes) => {
        const bytes = Buffer.from(`<r>${parts.join('')}</r>`);
        // The root decides what the file is, long before.
        if (changed !== null) bytes[3 + (changed[0] % (bytes.length - 3))] = changed[1];
        const plain = heard(bytes, false, 1_000_000);
        t.deepEqual(heard(bytes, true, pieceBytes), plain);
      },
    ),
    { numRuns: rounds(1_000) },
  );
});

test('a long text is heard, or refused in its line, as one of short parts is', (t) => {
  const parts = ['a\r\nb', '\r', '&amp;&#13;&lt;', '> ]] >', 'ä€😀', '\n'].flatMap((part) =>
    Array.from({ length: 300 }, () => part),
  );
  for (const [begin, between, end] of [
    ['', '<!---->', ''],
    ['<![CDATA[', ']]><![CDATA[', ']]>'],
  ]) {
    for (const last of ['', '<1/>', '&', ']]>', '\u0001']) {
      const document = (text: string): Buffer =>
        Buffer.from(`<r><o>x<p>${begin}${text}${last}${end}</p>y</o></r>`);
      const [long, short] = [document(parts.join('')), document(parts.join(between))];
      for (const pieceBytes of [1, 1_030, 5_000, 1_000_000])
        t.deepEqual(heard(long, false, pieceBytes), heard(short, false, 1_000), `${begin} ${last}`);
    }
  }
});
