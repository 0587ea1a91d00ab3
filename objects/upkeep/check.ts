import { createHash } from 'node:crypto';
import { errorCode } from '../../model/error-code.ts';
import type { ObjectsRoot } from '../root.ts';

const pageRows = 1_000;

/** Something wrong that a check has found. */
export interface Fault {
  /** `damaged`: bytes are not those of the oid, now in quarantine. `missing`: a repository holds it, its bytes are not there. */
  readonly kind: 'damaged' | 'missing';
  readonly oid: string;
}

export interface CheckOutcome {
  readonly contents: number;
  readonly bytes: number;
  readonly faults: readonly Fault[];
}

/**
 * Reads every stored content and compares it with its oid. What is damaged goes to the quarantine; from then on the server asks
 * for it again. Needs a disk's time and the memory of one piece; runs beside a server.
 * @param onProgress called after each content with the bytes read so far.
 */
export async function checkContents(
  { contents, holdings }: ObjectsRoot,
  onProgress: (bytes: number) => void,
): Promise<CheckOutcome> {
  const faults: Fault[] = [];
  let [count, bytes] = [0, 0];
  for await (const { oid, size } of contents.list()) {
    count += 1;
    bytes += size;
    if (!(await isWhole(contents, oid)) && (await contents.quarantine(oid)) !== undefined) {
      faults.push({ kind: 'damaged', oid });
    }
    onProgress(bytes);
  }
  const damaged = new Set(faults.map(({ oid }) => oid));
  for (let after = ''; ;) {
    const page = await holdings.allContents(after, pageRows);
    for (const { oid, size } of page) {
      if (damaged.has(oid) || (await contents.has(oid)) === size) continue;
      faults.push({ kind: 'missing', oid });
    }
    after = page.at(-1)?.oid ?? after;
    if (page.length < pageRows) break;
  }
  return { contents: count, bytes, faults };
}

async function isWhole(contents: ObjectsRoot['contents'], oid: string): Promise<boolean> {
  const content = await contents.get(oid);
  // Gone since it was listed.
  if (content === undefined) return true;
  try {
    const hash = createHash('sha256');
    for await (const piece of content.pieces()) hash.update(piece);
    return hash.digest('hex') === oid;
  } catch (error) {
    // What the disk cannot read any more is as bad as what it reads wrong.
    if (errorCode(error) === 'EIO') return false;
    throw error;
  } finally {
    content.close();
  }
}
