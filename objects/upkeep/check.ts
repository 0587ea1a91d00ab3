import { createHash } from 'node:crypto';
import { closing } from '../../model/closing.ts';
import { errorCode } from '../../model/error-code.ts';
import type { ContentName, OpenContent } from '../../storage/content-store/content-store.ts';
import type { ObjectsRoot } from '../root.ts';

/** Something wrong that a check has found. */
export interface Fault {
  /** `damaged`: bytes are not those of the oid, now in quarantine. `missing`: a repository holds it, its bytes are not there. */
  readonly kind: 'damaged' | 'missing';
  readonly oid: string;
  /** `OWNER/NAME` where each repository has contents of its own. */
  readonly repository?: string;
}

/**
 * Reads every stored content and compares it with its oid. What is damaged goes to the quarantine; from then on the server asks
 * for it again. Needs a disk's time and the memory of one piece; runs beside a server.
 * @param onProgress called after each content with the bytes read so far.
 */
export async function checkContents(root: ObjectsRoot, onProgress: (bytes: number) => void) {
  const { holdings } = root;
  const contents = await root.contents();
  const faults: Fault[] = [];
  let [count, bytes, restored] = [0, 0, 0];
  const isApart = contents.keepsApart;
  const known = new Set<string>();
  for await (const { oid, repository = '', size } of contents.list()) {
    count += 1;
    bytes += size;
    const content = await contents.of(repository).get(oid);
    if (!(await isWhole(content, oid)) && (await setAside({ oid, repository })))
      tell('damaged', oid, repository);
    onProgress(bytes);
  }
  const aside = Map.groupBy(await contents.listQuarantine(), (set) => set.oid);
  for await (const { oid, repository, size } of holdings.everything()) {
    if ((await contents.of(repository).has(oid)) === size) continue;
    if (await bringBack(oid, repository)) restored += 1;
    else tell('missing', oid, repository);
  }
  // Restored: held, and there in the quarantine only.
  return { contents: count, bytes, faults, restored };

  /** A collection may have been cut off before it put back what is held again. */
  async function bringBack(oid: string, repository: string): Promise<boolean> {
    for (const set of aside.get(oid) ?? []) {
      if ((set.repository ?? repository) !== repository) continue;
      const content = await contents.getQuarantined(set.name);
      if (content === undefined || !(await isWhole(content, oid))) continue;
      await contents.restore(set.name);
      return true;
    }
    return false;
  }

  async function setAside(content: ContentName): Promise<boolean> {
    return (await contents.quarantine(content)) !== undefined;
  }

  /** Once for each content, whatever holds it. */
  function tell(kind: Fault['kind'], oid: string, repository: string): void {
    const name = isApart ? { oid, repository } : { oid };
    const key = Object.values(name).join();
    if (!known.has(key)) faults.push({ kind, ...name });
    known.add(key);
  }
}

async function isWhole(content: OpenContent | undefined, oid: string): Promise<boolean> {
  // Gone since it was listed.
  if (content === undefined) return true;
  using _ = closing(content);
  try {
    const hash = createHash('sha256');
    for await (const piece of content.pieces()) hash.update(piece);
    return hash.digest('hex') === oid;
  } catch (error) {
    // A content that the disk cannot read is damaged, too.
    if (errorCode(error) === 'EIO') return false;
    throw error;
  }
}
