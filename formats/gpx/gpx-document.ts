import type { Buffer } from 'node:buffer';
import { CanonicalPoints, type PointElement } from './canonical-points.ts';
import { ByteDecoder } from './decode-bytes.ts';
import { PointCounts, type GpxSink, type GpxSummary } from './point-counts.ts';
import { PointMarkup } from './point-markup.ts';
import { PointReader } from './read-points.ts';
import { GpxRefused } from './refused.ts';
import { XmlScanner } from './xml-scanner.ts';

/** Bytes decoded and parsed at once, 1-2 ms of work. Pieces of 256 KiB are no faster and take twice the memory. */
const plainBytes = 32_768;
/** Bytes from which points are taken at once, 1-2 ms of work. Far below any limit of the scanner on a token or point. */
const stretchBytes = 262_144;
/** After a point that is not canonical at least so many bytes go the plain way, which is slow for small pieces. */
const fewestRefusedBytes = 2_048;

/**
 * A GPX document on its way from bytes to a sink. The bytes go one of two ways. On the plain way they become text, which
 * the scanner checks, which is reduced to the markup of points, which the parser takes apart. Only that way knows
 * all of XML, and it alone refuses. Where it stands directly inside `gpx` or `trkseg`, between two tokens, the short way
 * may take canonical points off the bytes; whatever it does not know goes on along the plain way. So a point in a
 * comment or in CDATA never looks like one, and what is read does not depend on the way.
 */
export class GpxDocument {
  readonly #decoder = new ByteDecoder();
  readonly #counts: PointCounts;
  readonly #markup: PointMarkup;
  readonly #scanner: XmlScanner;
  readonly #canonical: CanonicalPoints | undefined;
  /** So many bytes at least go the plain way before the short one is tried again. */
  #plainAtLeast = 1;

  /** @param path - `plain` for tests: the short way is never tried. */
  constructor(sink: GpxSink, path: 'auto' | 'plain') {
    this.#counts = new PointCounts(sink);
    const points = new PointReader(this.#counts);
    this.#markup = new PointMarkup((text) => points.read(text));
    this.#scanner = new XmlScanner(this.#markup);
    this.#canonical = path === 'auto' ? new CanonicalPoints(this.#counts) : undefined;
  }

  /**
   * Reads on, some 2 ms of work.
   * @returns where the next call is to begin.
   * @throws GpxRefused, and errors of the sink
   */
  read(block: Buffer, from: number): number {
    const taken = this.#takeCanonical(block, from);
    if (taken > from) return taken;
    const end = this.#endOfPlain(block, from);
    const { text, isInvalid } = this.#decoder.decode(block.subarray(from, end));
    this.#scanner.push(text);
    if (isInvalid) this.#scanner.refuse('encoding');
    return end;
  }

  /** @throws GpxRefused */
  end(): GpxSummary {
    const { text, isInvalid } = this.#decoder.end();
    this.#scanner.push(text);
    this.#scanner.end(isInvalid);
    if (!this.#markup.isGpx) throw new GpxRefused('not_gpx');
    return this.#counts.summary();
  }

  #takeCanonical(bytes: Buffer, from: number): number {
    const element = this.#pointsHere();
    if (this.#canonical === undefined) return from;
    if (element === undefined) {
      this.#goPlain(1);
      return from;
    }
    const to = Math.min(bytes.length, from + stretchBytes);
    const isUtf8 = this.#decoder.asciiSuperset === 'utf-8';
    const { end, lines, isRefused } = this.#canonical.take({ bytes, from, to, isUtf8 }, element);
    this.#scanner.skipLines(lines);
    if (end - from > this.#plainAtLeast) this.#plainAtLeast = 1;
    if (isRefused) this.#goPlain(fewestRefusedBytes);
    return end;
  }

  /** The more often there is nothing to take, the rarer it is tried. */
  #goPlain(atLeast: number): void {
    this.#plainAtLeast = Math.min(Math.max(2 * this.#plainAtLeast, atLeast), plainBytes);
  }

  #pointsHere(): PointElement | undefined {
    const isFree = this.#scanner.isBetweenTokens && this.#decoder.isBetweenCharacters;
    const isReadable = isFree && this.#decoder.asciiSuperset !== undefined;
    return isReadable ? this.#markup.pointsHere : undefined;
  }

  /** The plain way ends where the next point may begin. */
  #endOfPlain(block: Buffer, from: number): number {
    const end = Math.min(block.length, from + plainBytes);
    if (this.#canonical === undefined) return end;
    const rest = block.subarray(from, end);
    const at = rest.indexOf('<trkpt', this.#plainAtLeast);
    const before = at < 0 ? rest : rest.subarray(0, at);
    const waypointAt = before.indexOf('<wpt', this.#plainAtLeast);
    return from + (waypointAt < 0 ? before.length : waypointAt);
  }
}
