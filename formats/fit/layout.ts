import type { Buffer } from 'node:buffer';

/** Global numbers of the messages that are read (FIT profile 21). */
export const messages = {
  fileId: 0,
  record: 20,
  event: 21,
  location: 29,
  coursePoint: 32,
} as const;

/** Bytes of the values that are read; a field of another size is not what the profile says. A name has any size. */
const sizes = {
  time: 4,
  lat: 4,
  lon: 4,
  altitude: 2,
  enhancedAltitude: 4,
  accuracy: 1,
  fileType: 1,
  event: 1,
  eventType: 1,
  name: undefined,
} as const;
type Value = keyof typeof sizes;

const timestamp = 253;
/** Which field of a message holds each value. */
const fieldNumbers: Readonly<Record<number, Readonly<Partial<Record<Value, number>>>>> = {
  [messages.fileId]: { fileType: 0 },
  [messages.record]: { lat: 0, lon: 1, altitude: 2, enhancedAltitude: 78, accuracy: 31 },
  [messages.event]: { event: 0, eventType: 1 },
  [messages.location]: { name: 0, lat: 1, lon: 2, altitude: 4 },
  [messages.coursePoint]: { time: 1, lat: 2, lon: 3, name: 6 },
};

/** How the data messages of one local type are laid out. */
export interface Layout {
  readonly message: number;
  readonly isBigEndian: boolean;
  /** Bytes of a message behind its header. */
  readonly size: number;
  /** Where each value begins in them; −1 for one that is not there. */
  readonly at: Readonly<Record<Value, number>>;
  readonly nameSize: number;
}

/** Bytes of a definition between its header and its fields, and of each field. */
const fixedBytes = 5;
const fieldBytes = 3;

/**
 * Reads the definition message whose header stands at `at`.
 * @returns undefined if its end is not there yet.
 */
export function readDefinition(
  bytes: Buffer,
  at: number,
  hasDeveloperFields: boolean,
): { readonly layout: Layout; readonly end: number } | undefined {
  const start = at + 1;
  const count = bytes[start + fixedBytes - 1];
  if (count === undefined) return undefined;
  const fieldsAt = start + fixedBytes;
  const fieldsEnd = fieldsAt + count * fieldBytes;
  const developerFields = hasDeveloperFields ? bytes[fieldsEnd] : 0;
  if (developerFields === undefined) return undefined;
  const end = fieldsEnd + (hasDeveloperFields ? 1 + developerFields * fieldBytes : 0);
  if (end > bytes.length) return undefined;
  const isBigEndian = bytes[start + 1] === 1;
  const message = isBigEndian ? bytes.readUInt16BE(start + 2) : bytes.readUInt16LE(start + 2);
  const { fields, size } = readFields(bytes, fieldsAt, fieldsEnd, end);
  const layout = { message, isBigEndian, size, ...placesOf(message, fields) };
  return { layout, end };
}

type Fields = ReadonlyMap<number, { readonly at: number; readonly size: number }>;

function readFields(
  bytes: Buffer,
  from: number,
  fieldsEnd: number,
  end: number,
): { readonly fields: Fields; readonly size: number } {
  const fields = new Map<number, { readonly at: number; readonly size: number }>();
  let size = 0;
  for (let field = from; field < fieldsEnd; field += fieldBytes) {
    fields.set(bytes[field]!, { at: size, size: bytes[field + 1]! });
    size += bytes[field + 1]!;
  }
  // Developer fields stand behind the others; only their sizes matter.
  for (let field = fieldsEnd + 1; field < end; field += fieldBytes) size += bytes[field + 1]!;
  return { fields, size };
}

function placesOf(message: number, fields: Fields): Pick<Layout, 'at' | 'nameSize'> {
  const numbers = fieldNumbers[message] ?? {};
  const placeOf = (value: Value): number => {
    const found = fields.get(numbers[value] ?? (value === 'time' ? timestamp : -1));
    const isAsExpected = sizes[value] === undefined || sizes[value] === found?.size;
    return found === undefined || !isAsExpected ? -1 : found.at;
  };
  const places = (Object.keys(sizes) as Value[]).map((value) => [value, placeOf(value)]);
  const at = Object.fromEntries(places) as Layout['at'];
  return { at, nameSize: fields.get(numbers.name ?? -1)?.size ?? 0 };
}
