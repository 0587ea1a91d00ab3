/** An upload that has begun; told what has arrived, and when it is over. */
interface UploadUnderWay {
  readonly arrived: (bytes: number) => void;
  readonly end: () => void;
}

interface Reserved {
  readonly size: number;
  uploads: number;
}

/**
 * What uploads that have begun will take, so that those beginning now are refused before their bytes where the disk or a quota
 * has no room for all of them.
 */
export class UploadsUnderWay {
  readonly #byRepository = new Map<number, Map<string, Reserved>>();
  #count = 0;
  #toArrive = 0;
  #whenNone: (() => void)[] = [];

  /** Bytes that are still to come to the disk. */
  get toArrive(): number {
    return this.#toArrive;
  }

  /** Bytes that uploads to a repository will add, but for those of one object; several uploads of one object count once. */
  reserved(repositoryId: number, exceptOid: string): number {
    let sum = 0;
    for (const [oid, { size }] of this.#byRepository.get(repositoryId) ?? []) {
      if (oid !== exceptOid) sum += size;
    }
    return sum;
  }

  begin(repositoryId: number, { oid, size }: { oid: string; size: number }): UploadUnderWay {
    const objects = this.#byRepository.get(repositoryId) ?? new Map<string, Reserved>();
    const reserved = objects.get(oid) ?? { size, uploads: 0 };
    reserved.uploads += 1;
    this.#byRepository.set(repositoryId, objects.set(oid, reserved));
    this.#count += 1;
    this.#toArrive += size;
    let left = size;
    return {
      arrived: (bytes) => {
        const counted = Math.min(left, bytes);
        left -= counted;
        this.#toArrive -= counted;
      },
      end: () => {
        this.#toArrive -= left;
        left = 0;
        reserved.uploads -= 1;
        if (reserved.uploads === 0) objects.delete(oid);
        if (objects.size === 0) this.#byRepository.delete(repositoryId);
        this.#count -= 1;
        if (this.#count === 0) for (const tell of this.#whenNone.splice(0)) tell();
      },
    };
  }

  /** Resolves once no upload is under way. */
  async ended(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#whenNone.push(resolve));
  }
}
