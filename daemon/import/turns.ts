/** Lets works run one after the other, urgent ones before those that wait. */
export class Turns {
  #isTaken = false;
  /** Tells the holder of the turn that another one waits. */
  #onWanted: (() => void) | undefined;
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /**
   * Resolves when it is the caller's turn: at once where no other has it. What it gives, disposed of exactly once, ends that.
   * @param onWanted is called when others wait meanwhile.
   */
  async take(isUrgent: boolean, onWanted?: () => void): Promise<Disposable> {
    if (this.#isTaken) {
      this.#onWanted?.();
      await new Promise<void>((begin) => (isUrgent ? this.#urgent : this.#others).push(begin));
    }
    this.#isTaken = true;
    this.#onWanted = onWanted;
    if (this.#urgent.length + this.#others.length > 0) onWanted?.();
    return { [Symbol.dispose]: () => this.#end() };
  }

  #end(): void {
    this.#onWanted = undefined;
    const next = this.#urgent.shift() ?? this.#others.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
