import type { FailureReason } from '../model/import.ts';

/** A file that cannot be imported. Its text is fixed: neither content nor path of the file is in it. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly reason: FailureReason;
  /** Where reading stopped, from 1; absent where no line says it. */
  readonly line: number | undefined;

  constructor(reason: FailureReason, line?: number) {
    super(`The file cannot be imported: ${reason}.`);
    this.reason = reason;
    this.line = line;
  }
}

/** Reading was stopped by its caller. */
export class ReadingCancelled extends Error {
  override readonly name = 'ReadingCancelled';

  constructor() {
    super('Reading was cancelled.');
  }
}
