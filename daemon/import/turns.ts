/** Ends a turn; to be called exactly once. */
export type EndTurn = () => void;

/** Lets works run one after the other, urgent ones before those that wait. */
export class Turns {
  #isTaken = false;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /** Resolves when it is the caller's turn: at once where no other has it. */
  async take(isUrgent: boolean): Promise<EndTurn> {
    if (this.#isTaken)
      await new Promise<void>((begin) => (isUrgent ? this.#urgent : this.#others).push(begin));
    this.#isTaken = true;
    return () => {
      const next = this.#urgent.shift() ?? this.#others.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    };
  }
}
