/** One picture of a film. */
export interface Frame {
  /** A WebP file without transparency. */
  readonly file: Uint8Array;
  /** How long it is shown, ms. */
  readonly ms: number;
}

const headerBytes = 12;
const hasAnimation = 0x02;
/** It covers the whole picture, and what was there before counts for nothing. */
const opaque = 0x02;

/** Joins pictures of one size to a film that begins anew at its end (the container format of WebP, "Animation"). */
export function animatedWebp(frames: readonly Frame[], width: number, height: number): Buffer {
  const size = [uint24(width - 1), uint24(height - 1)];
  const head = chunk('VP8X', Buffer.from([hasAnimation, 0, 0, 0]), ...size);
  // A background, which nothing shows, and no end of repetitions.
  const animation = chunk('ANIM', Buffer.alloc(6));
  const pictures = frames.map(({ file, ms }) =>
    chunk('ANMF', uint24(0), uint24(0), ...size, uint24(ms), Buffer.from([opaque]), bitmapOf(file)),
  );
  return chunk('RIFF', Buffer.from('WEBP'), head, animation, ...pictures);
}

/** The chunk with the pixels; others tell of colours and the like. @throws Error for a file without one */
function bitmapOf(file: Uint8Array): Buffer {
  const content = Buffer.from(file);
  for (let at = headerBytes; at < content.length;) {
    const length = content.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (/^VP8[ L]$/u.test(content.toString('latin1', at, at + 4))) return content.subarray(at, end);
    at = end;
  }
  throw new Error('No WebP picture.');
}

/** A name, the length of what follows, and that, to an even length. */
function chunk(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(8, name);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
