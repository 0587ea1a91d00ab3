import type { BookmarkStamp, MirrorMark, Tombstone } from '../../model/recording.ts';
import type { Attributes } from '../xml/read-piece.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
const time = /^\d{1,15}$/u;

/** Reads `<wd:mirror store written>`; undefined for one of an older version or another program. */
export function parseMark(attributes: Attributes): MirrorMark | undefined {
  const { '@store': store = '', '@written': written = '' } = attributes;
  if (!/^[0-9a-f]{16}$/u.test(store) || !time.test(written)) return undefined;
  return { store, written: Number(written) };
}

/** Reads `<wd:deleted id at>`. */
export function parseTombstone(attributes: Attributes): Tombstone | undefined {
  const { '@id': id = '', '@at': at = '' } = attributes;
  return uuid.test(id) && time.test(at) ? { id, at: Number(at) } : undefined;
}

/** Reads `<wd:bookmark id changed hash>`; undefined for the mark of an export, which has none of them. */
export function parseStamp(attributes: Attributes): BookmarkStamp | undefined {
  const { '@id': id = '', '@changed': changed = '', '@hash': hash = '' } = attributes;
  if (!uuid.test(id) || !time.test(changed)) return undefined;
  return { id, changed: Number(changed), hash };
}
