import type { FailureReason } from '../../model/import.ts';

/** One file of an import cannot be imported; the others go on. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly reason: FailureReason;
  /** Where reading stopped, from 1. */
  readonly line: number | undefined;

  constructor(reason: FailureReason, line?: number) {
    super(`The file cannot be imported: ${reason}.`);
    this.reason = reason;
    this.line = line;
  }
}

/** Runs one step on a source file: whatever the file system refuses there makes it `unreadable`. */
export function readingSource<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new FileRefused('unreadable');
    throw error;
  }
}
