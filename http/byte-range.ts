/** Bytes `from`…`to` (exclusive) of a content. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a `Range` header (RFC 9110 section 14) for a content of `size` bytes. Several ranges, other units and malformed
 * headers are ignored, as they may be.
 * @returns `whole` for all of it; `none` where nothing of it lies in the range.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const text = header?.trim() ?? '';
  const suffix = /^bytes=-(\d+)$/iu.exec(text);
  if (suffix !== null) return within(Math.max(0, size - Number(suffix[1])), size, size);
  const match = /^bytes=(\d+)-(\d*)$/iu.exec(text);
  if (match === null) return 'whole';
  const from = Number(match[1]);
  const last = match[2] === '' ? size - 1 : Number(match[2]);
  return from > last && match[2] !== '' ? 'whole' : within(from, last + 1, size);
}

function within(from: number, to: number, size: number): ByteRange | 'none' {
  return from >= size ? 'none' : { from, to: Math.min(to, size) };
}
