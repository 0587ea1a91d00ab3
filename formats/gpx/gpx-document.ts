import type { Buffer } from 'node:buffer';
import { FileRefused } from '../refused.ts';
import { ByteDecoder } from '../xml/decode-bytes.ts';
import { plainBytes } from '../xml/xml-document.ts';
import { XmlReader } from '../xml/xml-reader.ts';
import { CanonicalPoints } from './canonical-points.ts';
import type { PointElement } from './point-children.ts';
import { GpxElements } from './gpx-elements.ts';
import { Recording } from '../points/recording.ts';
import type { RecordingSink, RecordingSummary } from '../points/sink.ts';

/** Bytes from which points are taken at once, 1-2 ms of work. Far below any limit of the reader on a tag or point. */
const stretchBytes = 327_680;
/** The longest point that may wait for the block in which it ends; a longer one goes the plain way. */
const maxRestBytes = 4_096;
/** After a point that is not canonical at least so many bytes go the plain way, which is slow for small pieces. */
const fewestRefusedBytes = 2_048;
/** Bytes in which the next point is looked for at first. */
const fewestSearchedBytes = 256;

/** Which points stand side by side in an element, by its path. */
const pointsIn: ReadonlyMap<string, PointElement> = new Map([
  ['gpx/trk/trkseg', 'trkpt'],
  ['gpx/rte', 'rtept'],
  ['gpx', 'wpt'],
]);
/** What the name of an element holds that the plain way hands to the sink. */
const pointName = /wpt|trkpt|rtept/;

/**
 * A GPX document on its way from bytes to a sink. The bytes go one of two ways. On the plain way they become text, which
 * fast-xml-parser validates and takes apart. Only that way knows all of XML, and it alone refuses. Where it stands directly
 * inside `gpx`, `rte` or `trkseg`, between two tokens, the short way may take canonical points off the bytes; whatever it
 * does not know goes on along the plain way. So a point in a comment or in CDATA never looks like one, and what is read
 * does not depend on the way.
 */
export class GpxDocument {
  readonly #decoder = new ByteDecoder();
  readonly #recording: Recording;
  readonly #elements: GpxElements;
  readonly #reader: XmlReader;
  readonly #canonical: CanonicalPoints | undefined;
  /** So many bytes at least go the plain way before the short one is tried again. */
  #plainAtLeast = 1;
  /** The reader may hold points that the sink has not got. */
  #mayHoldPoints = false;

  /** @param path - `plain` for tests: the short way is never tried. */
  constructor(sink: RecordingSink, path: 'auto' | 'plain') {
    this.#recording = new Recording(sink);
    this.#elements = new GpxElements(this.#recording);
    this.#reader = new XmlReader(this.#elements);
    this.#canonical = path === 'auto' ? new CanonicalPoints(this.#recording) : undefined;
  }

  /**
   * Reads on, some 2 ms of work.
   * @returns where the next call is to begin: where this one began if a point there goes on in the next block, which is
   * then to begin with it.
   * @throws FileRefused, and errors of the sink
   */
  read(block: Buffer, from: number): number {
    const taken = this.#takeCanonical(block, from);
    if (taken !== undefined) return taken;
    return this.#readPlain(block, from);
  }

  #readPlain(block: Buffer, from: number): number {
    const end = this.#endOfPlain(block, from);
    const { text, isInvalid } = this.#decoder.decode(block.subarray(from, end));
    this.#push(text);
    if (isInvalid) this.#reader.refuse('encoding');
    return end;
  }

  #push(text: string): void {
    // Of whole tokens every name is seen here, with or without a prefix.
    const beganBetween = this.#reader.isBetweenTokens;
    this.#reader.push(text);
    const isWhole = beganBetween && this.#reader.isBetweenTokens;
    if (!isWhole || pointName.test(text)) this.#mayHoldPoints = true;
  }

  /**
   * @param rest - what the last call has left.
   * @throws FileRefused, and errors of the sink
   */
  end(rest: Buffer): RecordingSummary {
    for (let at = 0; at < rest.length;) at = this.#readPlain(rest, at);
    const { text, isInvalid } = this.#decoder.end();
    this.#reader.push(text);
    this.#reader.end(isInvalid);
    if (!this.#elements.isGpx) throw new FileRefused('not_gpx');
    return this.#recording.summary();
  }

  /** @returns where what was taken ends; undefined = nothing can be taken here. */
  #takeCanonical(bytes: Buffer, from: number): number | undefined {
    const element = this.#pointsHere();
    if (this.#canonical === undefined) return undefined;
    if (element === undefined) {
      this.#goPlain(1);
      return undefined;
    }
    this.#flushPoints();
    // Names of tracks may come later than their points: the tags between segments are not read yet.
    const [, line = 0, segment] = this.#reader.openOrdinals;
    if (element !== 'wpt')
      this.#recording.at(element === 'trkpt' ? 'track' : 'route', line, segment ?? line);
    const to = Math.min(bytes.length, from + stretchBytes);
    const isUtf8 = this.#decoder.asciiSuperset === 'utf-8';
    const { end, lines, ending } = this.#canonical.take({ bytes, from, to, isUtf8 }, element);
    this.#reader.skipLines(lines);
    if (end - from > this.#plainAtLeast) this.#plainAtLeast = 1;
    if (ending === 'refused') this.#goPlain(fewestRefusedBytes);
    const mayGoOn = ending === 'cut off' && bytes.length - end <= maxRestBytes;
    return end > from || mayGoOn ? end : undefined;
  }

  /** The sink gets the points in their order. Tags between segments can wait: each flush costs a new parser. */
  #flushPoints(): void {
    if (!this.#mayHoldPoints) return;
    this.#reader.flush();
    this.#mayHoldPoints = false;
  }

  /** The more often there is nothing to take, the rarer it is tried. */
  #goPlain(atLeast: number): void {
    this.#plainAtLeast = Math.min(Math.max(2 * this.#plainAtLeast, atLeast), plainBytes);
  }

  #pointsHere(): PointElement | undefined {
    const isFree = this.#reader.isBetweenTokens && this.#decoder.isBetweenCharacters;
    if (!isFree || this.#decoder.asciiSuperset === undefined) return undefined;
    return pointsIn.get(this.#reader.open.join('/'));
  }

  /** The plain way ends where the next point may begin. That is mostly near, so little is searched at first. */
  #endOfPlain(block: Buffer, from: number): number {
    const most = Math.min(block.length, from + plainBytes);
    if (this.#canonical === undefined) return most;
    for (let length = fewestSearchedBytes; ; length *= 4) {
      const end = Math.min(most, from + length);
      const plain = untilPoint(block.subarray(from, end), this.#plainAtLeast);
      if (from + plain.length < end || end === most) return from + plain.length;
    }
  }
}

/** What stands before the first start of a point that is not before `at`. */
function untilPoint(bytes: Buffer, at: number): Buffer {
  let before = bytes;
  for (const element of pointsIn.values()) {
    const found = before.indexOf(`<${element}`, at);
    if (found >= 0) before = before.subarray(0, found);
  }
  return before;
}
