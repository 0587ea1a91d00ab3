import type { TakeEditRequest } from '../../worker/mirror/take-edit.ts';

const none = { accepted: undefined, discarded: undefined };

/** An edit of the bookmarks file that would delete many bookmarks, and what the user has said about it. */
export class HeldEdit {
  #held: { readonly sha256: string; readonly deletions: number } | undefined;
  #decided: Pick<TakeEditRequest, 'accepted' | 'discarded'> = none;

  /** Undefined while none is held. */
  get deletions(): number | undefined {
    return this.#held?.deletions;
  }

  /** Contents of which the user has said what is to become of them. */
  get decided(): Pick<TakeEditRequest, 'accepted' | 'discarded'> {
    return this.#decided;
  }

  hold(sha256: string, deletions: number): void {
    this.#held = { sha256, deletions };
  }

  /** The edit is merged, replaced or gone: what was said of it is not said of a later one of the same bytes. */
  release(): void {
    this.#held = undefined;
    this.#decided = none;
  }

  /** @returns false when none is held. */
  decide(isAccepted: boolean): boolean {
    if (this.#held === undefined) return false;
    this.#decided = { ...none, [isAccepted ? 'accepted' : 'discarded']: this.#held.sha256 };
    return true;
  }
}
