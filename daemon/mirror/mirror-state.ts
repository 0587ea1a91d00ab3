import type { StoreMeta } from '../../storage/waypoints/meta.ts';
import type { WrittenFile } from '../../worker/mirror/merge.ts';
import type { Content } from '../../worker/mirror/present-file.ts';
import type { MergeCounts } from './apply-merge.ts';

/** A content of the bookmarks file that may be overwritten: written by this store, or merged into it. */
export interface KnownContent extends Content {
  /** Absent for one written by another program or store. */
  readonly file?: WrittenFile;
}

/** The last edit of the bookmarks file that was merged. */
export interface LastMerge extends MergeCounts {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The edited file, in the backups directory. */
  readonly copy: string;
}

/** The bookmarks file as `waypoints.sqlite` knows it. */
export interface MirrorState {
  readonly path: string;
  /** The revision of the store that the newest content shows; absent when that content is an edit, merged. */
  readonly revision?: string;
  /** At most two, the newest first: the content that is about to be there, and the one before. */
  readonly known: readonly KnownContent[];
  /** The last two files that this store wrote, the newest first. */
  readonly written?: readonly WrittenFile[];
  /** SHA-256 of the bookmarks and tombstones in the newest content, if this store wrote it. */
  readonly body?: string;
  readonly lastMerge?: LastMerge;
}

const key = 'mirror';

/** The state of the bookmarks file at a path; each change of it is committed durably. */
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

  /** Undefined before the first file. */
  get state(): MirrorState | undefined {
    return this.#state;
  }

  /** Whether this store has written to this path before. */
  get wasOurs(): boolean {
    return this.#state?.path === this.#path;
  }

  get storeId(): string {
    return this.#meta.get('store') ?? '';
  }

  get written(): readonly WrittenFile[] {
    return this.#state?.written ?? [];
  }

  /** The time of the next file: later than that of any before it, whatever the clock says. */
  nextWritten(now: number): number {
    return Math.max(now, ...this.written.map(({ written }) => written + 1));
  }

  /** Notes a file that is about to replace the present one, which stays known until that has happened. */
  commitDraft(
    draft: Required<Pick<MirrorState, 'revision' | 'body'>> & { readonly content: KnownContent },
    present: Content | undefined,
  ): void {
    const { content, revision, body } = draft;
    const old = this.#state?.known ?? [];
    const before: KnownContent | undefined =
      old.find(({ sha256 }) => sha256 === present?.sha256) ?? present ?? old[0];
    const written = [content.file, before?.file ?? this.written[0]].filter(
      (one) => one !== undefined,
    );
    this.#save({ known: withoutRepeats(content, before), written, revision, body });
  }

  /** Notes a content that may be replaced now: merged, or kept in the backups directory. */
  commitEdit(content: Content, revision?: string): void {
    const known = withoutRepeats(content, this.#state?.known[0]);
    this.#save({ known, written: this.written, ...(revision !== undefined && { revision }) });
  }

  /** Notes that the newest content shows a further revision, too. */
  commitSame(shows: Required<Pick<MirrorState, 'revision' | 'body'>>): void {
    if (this.#state !== undefined) this.#save({ ...this.#state, ...shows });
  }

  noteMerge(lastMerge: LastMerge): void {
    if (this.#state !== undefined) this.#save({ ...this.#state, lastMerge });
  }

  #save(file: Omit<MirrorState, 'path'>): void {
    const { lastMerge } = this.#state ?? {};
    const state = { ...(lastMerge && { lastMerge }), ...file, path: this.#path };
    const text = JSON.stringify(state);
    if (this.#meta.get(key) !== text) this.#meta.set(key, text);
    this.#state = state;
  }
}

function withoutRepeats(newest: KnownContent, before: KnownContent | undefined) {
  return before === undefined || before.sha256 === newest.sha256 ? [newest] : [newest, before];
}
