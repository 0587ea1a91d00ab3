import type { GenerationPointer, GenerationReference } from '../../model/geodata.ts';
import type { Clock, Log } from '../../model/process.ts';
import { timelineDatasetSchema, type TimelineDataset } from '../../model/timeline-result.ts';
import {
  builtin,
  isIntact,
  isSameGeneration,
  type Generation,
  type GenerationFiles,
} from './generation-files.ts';

export interface GenerationsOptions {
  readonly files: GenerationFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** A generation that stays where it is until it is released, even if another one is installed meanwhile. */
export interface HeldGeneration {
  readonly path: string;
  readonly dataset: TimelineDataset;
  release(): void;
}

/**
 * Which generation is in use: the one that the pointer file names, else the one before it, else the builtin one. Nothing
 * is read before the first question; a generation that is missing or damaged is noticed then, and passed over.
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
  /** In use by a job, or being installed: such a one lies in its place before the pointer names it. */
  readonly #kept = new Set<GenerationReference>();
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
    const { path, reference } = this.#inUse;
    const dataset = timelineDatasetSchema.parse(this.#inUse);
    const end = this.keep(reference);
    const release = (): void => {
      end();
      void this.#inTurn(() => this.#collect());
    };
    return { path, dataset, release };
  }

  /** Keeps a generation from being removed until the function that this returns is called. */
  keep(reference: GenerationReference): () => void {
    const own = { ...reference };
    this.#kept.add(own);
    return () => void this.#kept.delete(own);
  }

  /** Something went wrong when this file was read: it is checked anew. */
  distrust(path: string): void {
    if (this.#inUse?.path !== path) return;
    this.#verifiedAt = undefined;
    void this.verified();
  }

  /**
   * Puts a generation to use whose file is in its place and was checked whole just now. The one in use becomes the one
   * before; every other one is removed, unless it is kept.
   * @throws Error when it cannot be read after all; another one is in use then.
   */
  activate(reference: GenerationReference): Promise<void> {
    const { files, clock } = this.#options;
    return this.#inTurn(async () => {
      const pointer = { ...reference, previous: this.#findPrevious(reference) };
      await files.writePointer(pointer);
      this.#pointer = pointer;
      this.#isPointerDamaged = false;
      this.#damaged.delete(files.path(reference));
      this.#choose();
      if (!this.isChosen(reference)) throw new Error('The new generation cannot be read.');
      this.#verifiedAt = clock.now();
      await this.#collect();
    });
  }

  /** Stops what is going on, and waits for a change of the pointer file to be done. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#turn;
  }

  async #open(): Promise<void> {
    const { files, log } = this.#options;
    const reading = await files.readPointer();
    if (reading.found === 'pointer') this.#pointer = reading.pointer;
    this.#isPointerDamaged = reading.found === 'damaged';
    this.#builtin = files.inspect(builtin);
    if (this.#builtin === undefined) log.warn('geodata.builtin_missing');
    this.#choose();
    await this.#collect();
  }

  #choose(): void {
    const { log } = this.#options;
    const { previous } = this.#pointer ?? {};
    this.#verifiedAt = undefined;
    this.#inUse = this.#first([this.#pointer, previous, builtin]);
    const found = this.#first([previous]);
    this.#previous = found?.path === this.#inUse?.path ? undefined : found;
    if (this.isDegraded) log.warn('geodata.degraded', { in_use: this.#inUse?.id ?? 'none' });
  }

  /** The first one that can be read and is not known to be damaged. */
  #first(references: readonly (GenerationReference | null | undefined)[]): Generation | undefined {
    const { files } = this.#options;
    for (const reference of references) {
      if (!reference || this.#damaged.has(files.path(reference))) continue;
      const generation = files.inspect(reference);
      if (generation !== undefined) return generation;
    }
    return undefined;
  }

  /** What one could go back to from a generation that is about to be put to use. */
  #findPrevious(next: GenerationReference): GenerationReference | null {
    const known = [this.#inUse?.reference, this.#pointer, this.#pointer?.previous];
    const others = known.filter((reference) => reference && !isSameGeneration(reference, next));
    return this.#first(others)?.reference ?? null;
  }

  /**
   * Hashes on the main thread, in pieces: a thread for it would take ten times the time to start, and keep 40 MB from the
   * system after its end.
   */
  async #verify(): Promise<void> {
    while (this.#inUse !== undefined && this.#verifiedAt === undefined) {
      const generation = this.#inUse;
      const isGood = await isIntact(generation, this.#stopped.signal);
      if (isGood === undefined) return;
      if (this.#stopped.signal.aborted) return;
      await this.#inTurn(async () => {
        // Another one may have been put to use meanwhile.
        if (this.#inUse !== generation) return;
        if (isGood) this.#verifiedAt = this.#options.clock.now();
        else this.#passOver(generation);
      });
    }
  }

  #passOver({ id, path }: Generation): void {
    this.#options.log.error('geodata.damaged', { generation: id });
    this.#damaged.add(path);
    this.#choose();
  }

  /** Removes unused generations, but not while it is unknown which should be in use: it may be among them. */
  async #collect(): Promise<void> {
    if (this.#isPointerDamaged) return;
    const used = [this.#pointer, this.#pointer?.previous, ...this.#kept];
    await this.#options.files.removeGenerationsBut(used.filter((reference) => !!reference));
  }

  /** One after the other: what is decided from a state must still hold when it is done. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
