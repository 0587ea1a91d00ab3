import type { FailureReason } from '../../model/import.ts';

/** Why the content of a file is refused (contract D); the other reasons come from the file system. */
export type GpxRefusal = Exclude<FailureReason, 'unreadable' | 'changed'>;

/** A file that is not importable GPX. Its text is fixed: neither content nor path of the file is in it. */
export class GpxRefused extends Error {
  override readonly name = 'GpxRefused';
  readonly reason: GpxRefusal;
  /** Where reading stopped, from 1; absent where no line says it. */
  readonly line: number | undefined;

  constructor(reason: GpxRefusal, line?: number) {
    super(`The file is not importable GPX: ${reason}.`);
    this.reason = reason;
    this.line = line;
  }
}

/** Reading was stopped by its caller. */
export class GpxCancelled extends Error {
  override readonly name = 'GpxCancelled';

  constructor() {
    super('Reading was cancelled.');
  }
}
