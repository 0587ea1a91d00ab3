import type { Buffer } from 'node:buffer';
import type { FailureReason } from '../../model/import.ts';
import { recordedBy, type Format } from '../format.ts';
import type { Recording } from '../points/recording.ts';
import { asDegrees, invalidTime, missingTime } from '../points/point-values.ts';
import { FileRefused } from '../refused.ts';
import type { BlockReader } from '../read-blocks.ts';
import { checksum } from './checksum.ts';
import { messages, readDefinition, type Layout } from './layout.ts';

/** Where a header has its signature. */
const signatureAt = 8;
const signature = '.FIT';
const shortestHeader = 12;
const checksumBytes = 2;
/** Bytes read at once, about a millisecond of work. */
const stretchBytes = 65_536;

/** 1989-12-31T00:00:00Z, ms since 1970. */
const epochMs = 631_065_600_000;
/** Times below this count from when the device was switched on. */
const firstTime = 0x10000000;
const noTime = 0xffffffff;
const noPosition = 0x7fffffff;
const degreesPerSemicircle = 180 / 2 ** 31;
/** A course is a plan: its times are made up. */
const courseFile = 6;

const compressedTime = 0x80;
const definition = 0x40;
const developerData = 0x20;

/** FIT (Flexible and Interoperable Data Transfer), as Garmin, Wahoo, Suunto, Coros and others record it. */
export const fitFormat: Format = {
  name: 'fit',
  recognises: (head) => head.toString('latin1', signatureAt, signatureAt + 4) === signature,
  read: recordedBy((recording, { salvages = false }) => new FitDocument(recording, salvages)),
};

/** A FIT file, or several that were put one behind the other, on its way from bytes to a recording. */
class FitDocument implements BlockReader {
  readonly #recording: Recording;
  readonly #salvages: boolean;
  readonly #layouts: (Layout | undefined)[] = [];
  /** Bytes of messages that the present file still has; undefined between files. */
  #left: number | undefined;
  #crc = 0;
  /** Messages of all files. */
  #records = 0;
  /** Hands on the last point of a damaged file, once the next message shows that it is whole. */
  #held: (() => void) | undefined;
  /** Files begun, and times that the recorder was started. */
  #files = 0;
  #segment = 0;
  #isCourse = false;
  /** The last one, in seconds since the epoch of FIT. */
  #time = noTime;

  constructor(recording: Recording, salvages: boolean) {
    this.#recording = recording;
    this.#salvages = salvages;
  }

  read(block: Buffer, from: number): number {
    if (this.#left === undefined) return this.#header(block, from);
    if (this.#left === 0) return this.#fileEnd(block, from);
    const end = Math.min(block.length, from + Math.min(this.#left, stretchBytes));
    const bytes = block.subarray(0, Math.min(block.length, from + this.#left));
    let at = from;
    while (at < end) {
      // First hand on the messages before the damage: the file is kept up to there.
      if (at > from && this.#isBroken(bytes, at)) break;
      const next = this.#message(bytes, at);
      if (next === undefined) break;
      at = next;
      this.#records += 1;
    }
    // Not a byte more can come for a message that does not end with its file.
    if (at === from && bytes.length - from === this.#left) throw this.#refusal('damaged');
    this.#crc = checksum(this.#crc, block, from, at);
    this.#left -= at - from;
    return at;
  }

  end(rest: Buffer): void {
    if (this.#files === 0 && rest.length === 0) throw new FileRefused('empty');
    if (this.#left !== undefined || rest.length > 0) throw this.#refusal('truncated');
  }

  #header(block: Buffer, from: number): number {
    const size = block[from] ?? 0;
    if (block.length - from < shortestHeader) return from;
    const name = block.toString('latin1', from + signatureAt, from + signatureAt + 4);
    const reason: FailureReason = this.#files > 0 ? 'damaged' : 'wrong_format';
    if (name !== signature || size < shortestHeader) throw new FileRefused(reason);
    if (block.length - from < size) return from;
    const length = block.readUInt32LE(from + 4);
    // Devices write it when a recording ends: where they were cut off, the messages go on to the end of the file.
    this.#left = this.#salvages && length === 0 ? Infinity : length;
    this.#crc = checksum(0, block, from, from + size);
    this.#files += 1;
    this.#isCourse = false;
    this.#time = noTime;
    this.#layouts.length = 0;
    return from + size;
  }

  #fileEnd(block: Buffer, from: number): number {
    if (block.length - from < checksumBytes) return from;
    if (block.readUInt16LE(from) !== this.#crc) throw this.#refusal('damaged');
    this.#release();
    this.#left = undefined;
    return from + checksumBytes;
  }

  /** @returns where it ends; undefined if its end is not there. */
  #message(bytes: Buffer, at: number): number | undefined {
    const header = bytes[at]!;
    const isCompressed = (header & compressedTime) !== 0;
    if (!isCompressed && (header & definition) !== 0) return this.#define(bytes, at, header);
    const layout = this.#layoutOf(header);
    if (layout === undefined || this.#isBroken(bytes, at)) throw this.#refusal('damaged');
    this.#release();
    const end = at + 1 + layout.size;
    if (end > bytes.length) return undefined;
    if (isCompressed) this.#countOn(header & 31);
    this.#data(bytes, at + 1, layout, isCompressed);
    return end;
  }

  #layoutOf(header: number): Layout | undefined {
    return this.#layouts[(header & compressedTime) === 0 ? header & 15 : (header >>> 5) & 3];
  }

  /** Whether no message can be here: of no type that was defined or, in a damaged file, in blocks that were left empty. */
  #isBroken(bytes: Buffer, at: number): boolean {
    const header = bytes[at]!;
    if ((header & compressedTime) === 0 && (header & definition) !== 0) return false;
    const layout = this.#layoutOf(header);
    if (layout === undefined) return true;
    const end = at + 1 + layout.size;
    const isEmpty = end <= bytes.length && bytes.subarray(at, end).every((byte) => byte === 0);
    if (!this.#salvages || !isEmpty || this.#records === 0) return false;
    // The message before may be cut off there.
    this.#held = undefined;
    return true;
  }

  /** Hands on the last point. */
  #release(): void {
    this.#held?.();
    this.#held = undefined;
  }

  #refusal(reason: FailureReason): FileRefused {
    this.#release();
    return new FileRefused(reason, undefined, this.#records + 1);
  }

  #define(bytes: Buffer, at: number, header: number): number | undefined {
    const defined = readDefinition(bytes, at, (header & developerData) !== 0);
    if (defined === undefined) return undefined;
    this.#layouts[header & 15] = defined.layout;
    return defined.end;
  }

  /** A compressed header holds the last five bits of the time, which is less than 32 s after the last one. */
  #countOn(bits: number): void {
    if (this.#time === noTime) return;
    this.#time += (bits - this.#time) & 31;
  }

  #data(bytes: Buffer, at: number, layout: Layout, isCompressed: boolean): void {
    const { message, isBigEndian, at: places } = layout;
    const time = this.#timeOf(bytes, at, layout, isCompressed);
    if (places.fileType >= 0) this.#isCourse = bytes[at + places.fileType] === courseFile;
    if (message === messages.event && isStart(bytes, at, layout)) this.#segment += 1;
    if (places.lat < 0 || places.lon < 0) return;
    const lat = semicircles(bytes, at + places.lat, isBigEndian);
    const lon = semicircles(bytes, at + places.lon, isBigEndian);
    // A sensor's reading while there was no position is no point.
    if (lat === noPosition || lon === noPosition) return;
    const usableLat = asDegrees(lat * degreesPerSemicircle, 90);
    const ele = altitude(bytes, at, layout);
    const timeMs = this.#isCourse ? missingTime : timeMsOf(time);
    if (message === messages.record) {
      this.#point(
        usableLat,
        lon * degreesPerSemicircle,
        ele,
        timeMs,
        accuracyAt(bytes, at, layout),
      );
      return;
    }
    const name = textAt(bytes, at + places.name, layout.nameSize);
    this.#recording.waypoint(usableLat, lon * degreesPerSemicircle, ele, timeMs, { name });
  }

  #timeOf(bytes: Buffer, at: number, layout: Layout, isCompressed: boolean): number {
    if (layout.at.time < 0) return isCompressed ? this.#time : noTime;
    const timeAt = at + layout.at.time;
    const time = layout.isBigEndian ? bytes.readUInt32BE(timeAt) : bytes.readUInt32LE(timeAt);
    if (time !== noTime) this.#time = time;
    return time;
  }

  #point(lat: number, lon: number, ele: number, timeMs: number, accuracyM: number): void {
    const [kind, line, segment] = [
      this.#isCourse ? 'route' : 'track',
      this.#files,
      this.#segment,
    ] as const;
    this.#held = () => {
      this.#recording.at(kind, line, segment);
      if (kind === 'route') this.#recording.routePoint(lat, lon, ele);
      else this.#recording.trackPoint(lat, lon, ele, timeMs, accuracyM);
    };
    if (!this.#salvages) this.#release();
  }
}

/** The timer was started, or started again. */
function isStart(bytes: Buffer, at: number, { at: places }: Layout): boolean {
  return places.event >= 0 && bytes[at + places.event] === 0 && bytes[at + places.eventType] === 0;
}

function semicircles(bytes: Buffer, at: number, isBigEndian: boolean): number {
  return isBigEndian ? bytes.readInt32BE(at) : bytes.readInt32LE(at);
}

function timeMsOf(time: number): number {
  if (time === noTime) return missingTime;
  return time < firstTime ? invalidTime : epochMs + time * 1_000;
}

/** In metres, NaN for none; fifths of a metre above −500 m are stored. */
function altitude(bytes: Buffer, at: number, { isBigEndian, at: places }: Layout): number {
  if (places.enhancedAltitude >= 0) {
    const enhancedAt = at + places.enhancedAltitude;
    const stored = isBigEndian ? bytes.readUInt32BE(enhancedAt) : bytes.readUInt32LE(enhancedAt);
    if (stored !== 0xffffffff) return stored / 5 - 500;
  }
  if (places.altitude < 0) return Number.NaN;
  const altitudeAt = at + places.altitude;
  const stored = isBigEndian ? bytes.readUInt16BE(altitudeAt) : bytes.readUInt16LE(altitudeAt);
  return stored === 0xffff ? Number.NaN : stored / 5 - 500;
}

/** In metres, NaN for none. */
function accuracyAt(bytes: Buffer, at: number, { at: places }: Layout): number {
  const metres = places.accuracy < 0 ? 0xff : bytes[at + places.accuracy]!;
  return metres === 0xff ? Number.NaN : metres;
}

/** A text that ends with a zero byte, if it is shorter than its field. */
function textAt(bytes: Buffer, at: number, size: number): string {
  const field = bytes.subarray(at, at + size);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? size : end);
}
