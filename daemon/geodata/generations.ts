import {
  builtinGeneration,
  type GenerationPointer,
  type GenerationReference,
} from '../../model/geodata.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { TimelineDataset } from '../../model/timeline-result.ts';
import { hashFile } from '../../storage/hash-file.ts';
import {
  expectedHash,
  inspectGeneration,
  isHosted,
  isSameGeneration,
  type Generation,
} from './generation.ts';
import type { GenerationFiles } from './generation-files.ts';

export interface GenerationsOptions {
  readonly files: GenerationFiles;
  /** The file that ships with the program. */
  readonly builtinPath: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A generation that stays where it is until it is given back, whatever is installed meanwhile. */
export interface HeldGeneration {
  readonly path: string;
  readonly dataset: TimelineDataset;
  release(): void;
}

const builtin: GenerationReference = { id: builtinGeneration, oid: null };

/**
 * Which generation is in use: the one that the pointer file names, else the one before it, else the builtin one. Nothing
 * is read before somebody asks; what is missing or damaged is noticed then, and passed over.
 */
export class Generations {
  readonly #options: GenerationsOptions;
  #opened: Promise<void> | undefined;
  #verifying: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #pointer: GenerationPointer | undefined;
  #isPointerDamaged = false;
  #builtin: Generation | undefined;
  #inUse: Generation | undefined;
  #previous: Generation | undefined;
  #verifiedAt: number | undefined;
  /** Paths of files in which something wrong was found since the start. */
  readonly #damaged = new Set<string>();
  readonly #held = new Set<Generation>();
  /** Being installed: they lie in their place before anything names them. */
  readonly #comingIn = new Set<GenerationReference>();
  readonly #stopped = new AbortController();

  constructor(options: GenerationsOptions) {
    this.#options = options;
  }

  /** Resolves when it is known which generation is in use. */
  ready(): Promise<void> {
    this.#opened ??= this.#inTurn(() => this.#open());
    return this.#opened;
  }

  /** Resolves when the content of the one in use has been checked since the start, which takes a moment once. */
  async verified(): Promise<void> {
    await this.ready();
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined;
    });
    await this.#verifying;
  }

  /** The one in use; undefined before `ready`, and when there is none at all. */
  get current(): Generation | undefined {
    return this.#inUse;
  }

  /** The one that was in use before, if it still is there. */
  get previous(): Generation | undefined {
    return this.#previous;
  }

  get builtin(): Generation | undefined {
    return this.#builtin;
  }

  /** When the content of the one in use was checked, in ms of the wall clock. */
  get verifiedAt(): number | undefined {
    return this.#verifiedAt;
  }

  /** Whether another one should be in use. */
  get isDegraded(): boolean {
    return this.#isPointerDamaged || (this.#pointer !== undefined && !this.isChosen(this.#pointer));
  }

  /** Whether this one is in use, and not for want of another. */
  isChosen(reference: GenerationReference): boolean {
    const { current } = this;
    const meant = this.#isPointerDamaged ? undefined : (this.#pointer ?? builtin);
    if (current === undefined || meant === undefined) return false;
    return isSameGeneration(current.reference, reference) && isSameGeneration(meant, reference);
  }

  /** Lends the one in use, once its content is checked; undefined when there is none. */
  async hold(): Promise<HeldGeneration | undefined> {
    await this.verified();
    if (this.#inUse === undefined) return undefined;
    const held = { ...this.#inUse };
    this.#held.add(held);
    return {
      path: held.path,
      dataset: held.dataset,
      release: () => {
        if (this.#held.delete(held)) void this.#inTurn(() => this.#collect());
      },
    };
  }

  /** Lets nobody remove a generation that is being brought in, until `end` is called. */
  protect(reference: GenerationReference): { end: () => void } {
    const own = { ...reference };
    this.#comingIn.add(own);
    return { end: () => void this.#comingIn.delete(own) };
  }

  /** Something went wrong when this file was read: it is checked anew. */
  distrust(path: string): void {
    if (this.#inUse?.path !== path) return;
    this.#verifiedAt = undefined;
    void this.verified();
  }

  pathOf(reference: GenerationReference): string {
    return isHosted(reference) ? this.#options.files.path(reference) : this.#options.builtinPath;
  }

  /**
   * Puts a generation to use whose file is in its place and was checked whole just now. The one in use becomes the one
   * before; every other one is removed, unless somebody holds it.
   * @throws Error when it cannot be read after all; another one is in use then.
   */
  activate(reference: GenerationReference): Promise<void> {
    return this.#inTurn(async () => {
      const pointer = { ...reference, previous: await this.#findPrevious(reference) };
      await this.#options.files.writePointer(pointer);
      this.#pointer = pointer;
      this.#isPointerDamaged = false;
      this.#damaged.delete(this.pathOf(reference));
      await this.#choose();
      if (!this.isChosen(reference)) throw new Error('The new generation cannot be read.');
      this.#verifiedAt = this.#options.clock.now();
      await this.#collect();
    });
  }

  /** Stops what is going on, and waits for a change of the pointer file to be done. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#turn;
  }

  async #open(): Promise<void> {
    const { files, builtinPath, log } = this.#options;
    const reading = await files.readPointer();
    if (reading.found === 'pointer') this.#pointer = reading.pointer;
    this.#isPointerDamaged = reading.found === 'damaged';
    this.#builtin = await inspectGeneration(builtin, builtinPath);
    if (this.#builtin === undefined) log.warn('geodata.builtin_missing');
    await this.#choose();
    await this.#collect();
  }

  async #choose(): Promise<void> {
    const { log } = this.#options;
    const { previous } = this.#pointer ?? {};
    this.#verifiedAt = undefined;
    this.#inUse = await this.#first([this.#pointer, previous, builtin]);
    const found = await this.#first([previous]);
    this.#previous = found?.path === this.#inUse?.path ? undefined : found;
    if (this.isDegraded) log.warn('geodata.degraded', { in_use: this.#inUse?.id ?? 'none' });
  }

  /** The first one that can be read and is not known to be damaged. */
  async #first(
    references: readonly (GenerationReference | null | undefined)[],
  ): Promise<Generation | undefined> {
    for (const reference of references) {
      if (reference === null || reference === undefined) continue;
      const path = this.pathOf(reference);
      if (this.#damaged.has(path)) continue;
      // A pointer is a reference, too, and holds others.
      const plain = isHosted(reference) ? { id: reference.id, oid: reference.oid } : builtin;
      const generation = await inspectGeneration(plain, path);
      if (generation !== undefined) return generation;
    }
    return undefined;
  }

  /** What one could go back to from a generation that is about to be put to use. */
  async #findPrevious(next: GenerationReference): Promise<GenerationReference | null> {
    const known = [this.#inUse?.reference, this.#pointer, this.#pointer?.previous];
    const others = known.filter((reference) => reference && !isSameGeneration(reference, next));
    return (await this.#first(others))?.reference ?? null;
  }

  /**
   * Hashes on the main thread, in pieces: a thread for it would take ten times the time to start, and keep 40 MB from the
   * system after its end.
   */
  async #verify(): Promise<void> {
    while (this.#inUse !== undefined && this.#verifiedAt === undefined) {
      const generation = this.#inUse;
      const expected = await expectedHash(generation.reference, generation.path);
      if (expected === null) return;
      const found = await hashFile(generation.path, this.#stopped.signal).catch(() => undefined);
      if (this.#stopped.signal.aborted) return;
      await this.#inTurn(async () => {
        // Another one may have been put to use meanwhile.
        if (this.#inUse !== generation) return;
        if (found === expected) this.#verifiedAt = this.#options.clock.now();
        else await this.#passOver(generation);
      });
    }
  }

  async #passOver({ id, path }: Generation): Promise<void> {
    this.#options.log.error('geodata.damaged', { generation: id });
    this.#damaged.add(path);
    await this.#choose();
  }

  /** Removes what nobody uses. Not while it is unknown what should be in use: it may be among that. */
  async #collect(): Promise<void> {
    if (this.#isPointerDamaged) return;
    const used = [this.#pointer, this.#pointer?.previous];
    const held = [...this.#held].map(({ reference }) => reference);
    const kept = [...used, ...held, ...this.#comingIn].filter(
      (reference) => reference !== null && reference !== undefined,
    );
    await this.#options.files.removeGenerationsBut(kept.filter(isHosted));
  }

  /** One after the other: what is decided from a state must still hold when it is done. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
