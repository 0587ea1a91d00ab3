/**
 * What the scanner reports, in document order. Texts are given as spans of the scanner's buffer and valid only during the
 * call: a kept substring would keep the whole buffer alive (V8), so whoever keeps one copies it.
 */
export interface XmlSink {
  /** A start tag; the span holds its attributes as written. An empty-element tag is followed by `endTag`. */
  startTag(name: string, text: string, start: number, end: number): void;
  endTag(): void;
  /** Character data as written, with its references; one text may come in several spans. */
  characters(text: string, start: number, end: number): void;
  /** The content of a CDATA section; one section may come in several spans. */
  cdata(text: string, start: number, end: number): void;
  /** The buffer is about to be replaced. */
  bufferDone(): void;
}
