import type { MirrorMark } from '../../model/recording.ts';
import type { StoreMeta } from '../../storage/waypoints/meta.ts';
import type { Content } from '../../worker/mirror/present-file.ts';
import type { EqualRevisions, TakeEditResult } from '../../worker/mirror/take-edit.ts';

/** What `waypoints.sqlite` knows about the bookmarks file. */
export interface MirrorState {
  /** Where it was mirrored to. */
  readonly path: string;
  /** The revision of the store that the newest content mirrors; absent when that content is an edit, merged. */
  readonly revision?: string;
  /**
   * At most two contents that may be overwritten, the newest first: the one that is about to be there, and the one that
   * was. A content that somebody else wrote joins them when it is merged.
   */
  readonly known: readonly Content[];
  /** SHA-256 of the waypoints in the newest content, if we wrote it. */
  readonly body?: string;
  /** Other stores whose files were merged, by id: the newest revision of each. */
  readonly merged?: Readonly<Record<string, number>>;
  /** Those of them whose file was then just what our store was. */
  readonly equals?: Readonly<Record<string, EqualRevisions>>;
}

const key = 'mirror';

/** What this store remembers of the bookmarks file at a path; a change of it is committed durably. */
export class MirrorMemory {
  readonly #meta: StoreMeta;
  readonly #path: string;
  #state: MirrorState | undefined;

  constructor(meta: StoreMeta, path: string) {
    this.#meta = meta;
    this.#path = path;
    const text = meta.get(key);
    // Sound: written here alone.
    this.#state = text === undefined ? undefined : (JSON.parse(text) as MirrorState);
  }

  /** Undefined before the first mirror. */
  get state(): MirrorState | undefined {
    return this.#state;
  }

  /** Whether we have written to this path before. */
  get wasOurs(): boolean {
    return this.#state?.path === this.#path;
  }

  /** What a draft has to know. */
  get forDraft() {
    const { known = [], revision, body, merged = {} } = this.#state ?? {};
    return { storeId: this.#storeId, known, mirrored: revision, body, merged };
  }

  /** What reading an edit has to know. */
  get forEdit() {
    const { equals = {} } = this.#state ?? {};
    return { storeId: this.#storeId, wasOurs: this.wasOurs, equals };
  }

  /** @param newest what is, or is about to be, in the file; `before` may be overwritten as well. */
  commit(
    newest: Content,
    before?: Content,
    { revision, body }: Pick<MirrorState, 'revision' | 'body'> = {},
  ): void {
    const written = { ...(revision && { revision }), ...(body && { body }) };
    this.#save({ known: withoutRepeats(newest, before), ...written, ...peersOf(this.#state) });
  }

  /** What was merged and is just what the store has stays as it is: else two daemons would rewrite it in turn for ever. */
  commitMerged(content: Content, { isEqual, mark }: Merged): void {
    const revision = this.#meta.revision();
    const known = withoutRepeats(content, this.#state?.known[0]);
    const ours = { store: this.#storeId, revision: Number(revision), isEqual };
    const peers = withPeer(peersOf(this.#state), mark, ours);
    this.#save({ known, ...(isEqual ? { revision } : {}), ...peers });
  }

  get #storeId(): string {
    return this.#meta.get('store') ?? '';
  }

  #save(file: Omit<MirrorState, 'path'>): void {
    const state = { path: this.#path, ...file };
    const text = JSON.stringify(state);
    if (this.#meta.get(key) !== text) this.#meta.set(key, text);
    this.#state = state;
  }
}

type Merged = Pick<Extract<TakeEditResult, { outcome: 'taken' }>, 'isEqual' | 'mark'>;
type Peers = Pick<MirrorState, 'merged' | 'equals'>;

/** What a state knows of other stores. */
function peersOf(state: MirrorState | undefined): Peers {
  const { merged, equals } = state ?? {};
  return { ...(merged && { merged }), ...(equals && { equals }) };
}

/** Stores that a file is shared with; of more the one merged longest ago is forgotten, and then only adds. */
const maxPeers = 16;

/** What is known of other stores after a file was merged, which had this mark. */
function withPeer(
  peers: Peers,
  mark: MirrorMark | undefined,
  ours: { readonly store: string; readonly revision: number; readonly isEqual: boolean },
): Peers {
  if (mark === undefined) return peers;
  const { merged = {}, equals = {} } = peers;
  const seen = new Map(Object.entries(merged));
  for (const [store, revision] of [...mark.merged, [mark.store, mark.revision] as const]) {
    if (store === ours.store) continue;
    const newest = Math.max(revision, seen.get(store) ?? 0);
    // The newest goes last.
    seen.delete(store);
    seen.set(store, newest);
  }
  const same = new Map(Object.entries(equals));
  same.delete(mark.store);
  if (ours.isEqual && mark.store !== ours.store)
    same.set(mark.store, { theirs: mark.revision, ours: ours.revision });
  return {
    merged: Object.fromEntries([...seen].slice(-maxPeers)),
    equals: Object.fromEntries([...same].slice(-maxPeers)),
  };
}

/** The contents that may be overwritten. */
function withoutRepeats(newest: Content, before: Content | undefined): readonly Content[] {
  return before === undefined || before.sha256 === newest.sha256 ? [newest] : [newest, before];
}
