/** An upload that begins. */
export interface Upload {
  readonly repositoryId: number;
  /** 0 for an anonymous client. */
  readonly userId: number;
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

interface Begun extends Upload {
  left: number;
  isSettled: boolean;
}

/**
 * The room that running uploads still need: a new one is refused before its bytes where the disk or a quota has no room for
 * all of them. The uploads of one user reserve at most half of it against the others: an upload that is announced as huge,
 * and comes slowly, must not stop theirs.
 */
export class UploadsUnderWay {
  /** The oldest first. */
  readonly #begun = new Set<Begun>();
  #whenNone: (() => void)[] = [];

  /** Room that a user has on the disk once all running uploads have arrived; bytes, may be negative. */
  leftOnDisk(room: number, userId: number): number {
    return leftToUser(
      room,
      userId,
      [...this.#begun].map(({ userId: by, left }) => ({ userId: by, size: left })),
    );
  }

  /**
   * What is left to a user of a repository's room but for one object; several uploads of one object count once.
   * @returns bytes, also negative.
   */
  leftInQuota(room: number, { repositoryId, userId, oid }: Omit<Upload, 'size'>): number {
    const byOid = new Map<string, Begun>();
    for (const upload of this.#begun) {
      const isCounted =
        upload.repositoryId === repositoryId && upload.oid !== oid && !upload.isSettled;
      if (isCounted && !byOid.has(upload.oid)) byOid.set(upload.oid, upload);
    }
    return leftToUser(room, userId, byOid.values());
  }

  /** @returns what takes the progress and the end of it. */
  begin(upload: Upload) {
    const begun = { ...upload, left: upload.size, isSettled: false };
    this.#begun.add(begun);
    return {
      arrived: (bytes: number) => (begun.left = Math.max(0, begun.left - bytes)),
      /** Its row is about to be made, and counts in the quota from then on. */
      settle: () => (begun.isSettled = true),
      end: () => {
        this.#begun.delete(begun);
        if (this.#begun.size === 0) for (const tell of this.#whenNone.splice(0)) tell();
      },
    };
  }

  /** Resolves once no upload is under way. */
  async ended(): Promise<void> {
    if (this.#begun.size > 0) await new Promise<void>((resolve) => this.#whenNone.push(resolve));
  }
}

/** Takes off what each other user has begun, at most half of what is left then, and all that this one has. */
export function leftToUser(
  room: number,
  userId: number,
  uploads: Iterable<Pick<Upload, 'userId' | 'size'>>,
): number {
  const byUser = new Map<number, number>([[userId, 0]]);
  for (const upload of uploads) {
    byUser.set(upload.userId, (byUser.get(upload.userId) ?? 0) + upload.size);
  }
  let left = room;
  for (const [other, bytes] of byUser) {
    if (other !== userId) left -= Math.min(bytes, Math.max(0, left / 2));
  }
  return left - (byUser.get(userId) ?? 0);
}
