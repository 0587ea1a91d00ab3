import type { ContentName } from '../../storage/content-store/content-store.ts';
import type { ObjectsRoot } from '../root.ts';

export interface CollectOptions {
  /** Contents that arrived later than this ago are left alone, and what was quarantined later is kept; ms. */
  readonly graceMs: number;
  /** Only tell what would be done. */
  readonly isDryRun: boolean;
  /** ms since 1970. */
  readonly now: number;
}

/**
 * Takes contents that no repository holds out of sight, and deletes what was taken out of sight long ago. An upload that
 * ends meanwhile gets its content back: whether it is held is asked again once it is out of sight.
 * @returns the contents that no repository holds, now in quarantine, and those that were there long enough, now deleted.
 */
export async function collectGarbage(
  root: ObjectsRoot,
  { graceMs, isDryRun, now }: CollectOptions,
) {
  const { holdings } = root;
  const contents = await root.contents();
  const oldest = now - graceMs;
  const outcome = { quarantined: 0, quarantinedBytes: 0, deleted: 0, deletedBytes: 0 };
  for (const set of await contents.listQuarantine()) {
    const { name, size, sinceMs } = set;
    if (sinceMs > oldest || (await isMissed(set))) continue;
    outcome.deleted += 1;
    outcome.deletedBytes += size;
    if (!isDryRun) await contents.discard(name);
  }
  for await (const content of contents.list()) {
    if (content.storedMs > oldest || (await holdings.isHeld(content))) continue;
    if (!isDryRun && !(await quarantineUnheld(content))) continue;
    outcome.quarantined += 1;
    outcome.quarantinedBytes += content.size;
  }
  return outcome;

  /** The only copy, maybe, of what is held: its restore was cut off, or no push has mended it yet. */
  async function isMissed(set: ContentName): Promise<boolean> {
    const { oid, repository = '' } = set;
    return (await holdings.isHeld(set)) && (await contents.of(repository).has(oid)) === undefined;
  }

  async function quarantineUnheld(content: ContentName): Promise<boolean> {
    const name = await contents.quarantine(content);
    if (name === undefined) return false;
    if (!(await holdings.isHeld(content))) return true;
    await contents.restore(name);
    return false;
  }
}
