import { errorCode } from '../../model/error-code.ts';

/** A word for the log: an error's message may hold a path. */
export function reasonOf(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  if (!(failure instanceof Error)) return 'unknown';
  // The worker's errors have the code in their message only.
  const [, ofWorker] = /failed: (\w+)\.$/.exec(failure.message) ?? [];
  return errorCode(failure) ?? ofWorker ?? failure.name;
}
