import { builtin, isIntact, type Generation, type GenerationFiles } from './generation-files.ts';
import type { GenerationPointer, GenerationReference } from '../model/geodata.ts';
import type { Clock, Log } from '../model/process.ts';

export interface GenerationsOptions {
  readonly files: GenerationFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Knows which generation is in use: the one that the pointer file names, else the one before it, else the builtin one.
 * Nothing is read before the first question.
 */
export class Generations {
  readonly #options: GenerationsOptions;
  #opened: Promise<void> | undefined;
  #verifying: Promise<void> | undefined;
  #pointer: GenerationPointer | 'damaged' | undefined;
  #builtin: Generation | undefined;
  #current: Generation | undefined;
  #previous: Generation | undefined;
  #verifiedAt: number | undefined;
  /** Paths of files found damaged since the start. */
  readonly #damaged = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(options: GenerationsOptions) {
    this.#options = options;
  }

  /** Resolves when the generation in use is known. @throws errors of a machine that cannot open files now. */
  ready(): Promise<void> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      // The next question looks again.
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** Resolves when the content of the generation in use was hashed, once after the start. */
  async verified(): Promise<void> {
    await this.ready();
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined;
    });
    await this.#verifying;
  }

  /** The generation in use; undefined before `ready`, and when none can be read. */
  get current(): Generation | undefined {
    return this.#current;
  }

  /** The generation that was in use before, if it is still there. */
  get previous(): Generation | undefined {
    return this.#previous;
  }

  get builtin(): Generation | undefined {
    return this.#builtin;
  }

  /** The time of the last check of its content, ms of the wall clock. */
  get verifiedAt(): number | undefined {
    return this.#verifiedAt;
  }

  /** Whether another generation should be in use. */
  get isDegraded(): boolean {
    const pointer = this.#pointer;
    return pointer !== undefined && (pointer === 'damaged' || !this.isChosen(pointer));
  }

  /** Whether this generation is in use, and not for want of another. */
  isChosen(reference: GenerationReference): boolean {
    const chosen = this.#pointer ?? builtin;
    if (chosen === 'damaged') return false;
    const { files } = this.#options;
    const path = files.path(reference);
    return files.path(chosen) === path && this.#current?.path === path;
  }

  /** Checks a file anew that could not be read. */
  distrust(path: string): void {
    if (this.#current?.path !== path) return;
    this.#verifiedAt = undefined;
    this.verified().catch(() => undefined);
  }

  /**
   * Points to a generation whose file is in its place and was just checked. The one in use becomes the one before; all
   * others are removed (a job keeps its open file).
   * @throws Error when it cannot be read after all; another one is in use then.
   */
  async use(reference: GenerationReference): Promise<void> {
    const { files, clock } = this.#options;
    const path = files.path(reference);
    const others = [this.#current?.reference, ...this.#pointed].filter(
      (other) => other && files.path(other) !== path,
    );
    const pointer = { ...reference, previous: this.#firstUsable(others)?.reference ?? null };
    await files.writePointer(pointer);
    this.#pointer = pointer;
    this.#damaged.delete(path);
    this.#choose();
    if (!this.isChosen(reference)) throw new Error('The new generation cannot be read.');
    this.#verifiedAt = clock.now();
    await this.#removeOthers();
  }

  close(): void {
    this.#stopped.abort();
  }

  async #open(): Promise<void> {
    const { files, log } = this.#options;
    this.#pointer = await files.readPointer();
    this.#builtin = files.inspect(builtin);
    if (this.#builtin === undefined) log.warn('geodata.builtin_missing');
    this.#choose();
    await this.#removeOthers();
  }

  /** The generation that should be in use, and the one before it. */
  get #pointed(): GenerationReference[] {
    if (this.#pointer === undefined || this.#pointer === 'damaged') return [];
    const { previous } = this.#pointer;
    return previous === null ? [this.#pointer] : [this.#pointer, previous];
  }

  #choose(): void {
    this.#verifiedAt = undefined;
    this.#current = this.#firstUsable([...this.#pointed, builtin]);
    const previous = this.#firstUsable([this.#pointed[1]]);
    this.#previous = previous?.path === this.#current?.path ? undefined : previous;
    if (!this.isDegraded) return;
    this.#options.log.warn('geodata.degraded', { in_use: this.#current?.id ?? 'none' });
  }

  #firstUsable(references: readonly (GenerationReference | undefined)[]): Generation | undefined {
    const { files } = this.#options;
    for (const reference of references) {
      if (reference === undefined || this.#damaged.has(files.path(reference))) continue;
      const generation = files.inspect(reference);
      if (generation !== undefined) return generation;
    }
    return undefined;
  }

  /** Hashes in pieces on the main thread: starting a thread takes ten times as long and keeps 40 MB. */
  async #verify(): Promise<void> {
    while (this.#current !== undefined && this.#verifiedAt === undefined) {
      const generation = this.#current;
      const isGood = await isIntact(generation, this.#stopped.signal);
      if (isGood === undefined || this.#stopped.signal.aborted) return;
      // An install may have changed it meanwhile.
      if (this.#current !== generation) continue;
      if (isGood) {
        this.#verifiedAt = this.#options.clock.now();
      } else {
        this.#options.log.error('geodata.damaged', { generation: generation.id });
        this.#damaged.add(generation.path);
        this.#choose();
      }
    }
  }

  /** Removes unused generations; none while the pointer is damaged, which may have named any of them. */
  async #removeOthers(): Promise<void> {
    if (this.#pointer === 'damaged') return;
    await this.#options.files.removeGenerationsBut(this.#pointed);
  }
}
