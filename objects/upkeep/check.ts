import { createHash } from 'node:crypto';
import { errorCode } from '../../model/error-code.ts';
import type { ContentName, RepositoryContents } from '../../storage/content-store/content-store.ts';
import type { ObjectsRoot } from '../root.ts';

/** Something wrong that a check has found. */
export interface Fault {
  /** `damaged`: bytes are not those of the oid, now in quarantine. `missing`: a repository holds it, its bytes are not there. */
  readonly kind: 'damaged' | 'missing';
  readonly oid: string;
  /** `OWNER/NAME` where each repository has contents of its own. */
  readonly repository?: string;
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
  const isApart = contents.keepsApart;
  const known = new Set<string>();
  for await (const { oid, repository = '', size } of contents.list()) {
    count += 1;
    bytes += size;
    if (!(await isWhole(contents.of(repository), oid)) && (await setAside({ oid, repository })))
      tell('damaged', oid, repository);
    onProgress(bytes);
  }
  for await (const { oid, repository, size } of holdings.everything()) {
    if ((await contents.of(repository).has(oid)) !== size) tell('missing', oid, repository);
  }
  return { contents: count, bytes, faults };

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

async function isWhole(contents: RepositoryContents, oid: string): Promise<boolean> {
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
