import type { FailureReason } from '../model/import.ts';

/** A file that cannot be imported. Its text is fixed: neither content nor path of the file is in it. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly reason: FailureReason;
  /** Where reading stopped, from 1; absent where no line says it. */
  readonly line: number | undefined;
  /** The record where reading stopped, from 1, in formats that have records. */
  readonly record: number | undefined;

  constructor(reason: FailureReason, line?: number, record?: number) {
    super(`The file cannot be imported: ${reason}.`);
    this.reason = reason;
    this.line = line;
    this.record = record;
  }
}

/** Reasons with which what is before the damage may be whole. */
export const damageReasons: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'truncated',
  'not_xml',
  'not_json',
  'damaged',
  'encoding',
  'too_large',
]);

/** Reading was stopped by its caller. */
export class ReadingCancelled extends Error {
  override readonly name = 'ReadingCancelled';

  constructor() {
    super('Reading was cancelled.');
  }
}
