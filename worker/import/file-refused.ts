import { FileRefused } from '../../formats/refused.ts';

/** Runs one step on a source file: whatever the file system refuses there makes it `unreadable`. */
export function readingSource<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new FileRefused('unreadable');
    throw error;
  }
}
