import type { LibraryWriter } from '../../storage/library/writer.ts';

/**
 * The sizes of the files that the library knows: a source of another size cannot be a duplicate. May name some that are
 * not known any more. Asks the library once, when it is first asked itself.
 */
export class KnownSizes {
  readonly #library: LibraryWriter;
  readonly #others: () => readonly number[];
  #sizes: Set<number> | undefined;

  /** @param others sizes that are known beside. */
  constructor(library: LibraryWriter, others: () => readonly number[] = () => []) {
    this.#library = library;
    this.#others = others;
  }

  has(size: number): boolean {
    return (this.#sizes ??= new Set([...this.#library.sizes(), ...this.#others()])).has(size);
  }

  /** Notes that a file of this size is known from now on. */
  add(size: number): void {
    this.#sizes?.add(size);
  }
}
