import { errorCode } from '../model/error-code.ts';
import { draftMirror } from './mirror/draft.ts';
import type {
  DraftRequest,
  DraftResult,
  PublishRequest,
  PublishResult,
  TakeEditRequest,
  TakeEditResult,
} from './mirror/messages.ts';
import { publishMirror } from './mirror/publish.ts';

/**
 * The tasks of the mirror worker, one export each; input and output are plain data or shared memory. They have a thread
 * of their own, because an import may take minutes.
 */
export function draft(request: DraftRequest): DraftResult {
  return withoutPaths(() => draftMirror(request));
}

export function publish(request: PublishRequest): PublishResult {
  return withoutPaths(() => publishMirror(request));
}

/** Loads the reader of GPX only now: that is a third of the start of this thread, and most never take in an edit. */
export async function takeEdit(request: TakeEditRequest): Promise<TakeEditResult> {
  const { takeEdit: run } = await import('./mirror/take-edit.ts');
  return withoutPaths(() => run(request));
}

/**
 * Errors of the file system quote the path of user data, and an error arrives on the main thread without its code: one
 * that has nothing but the code, as message, tells the log all it may know.
 */
function withoutPaths<T>(task: () => T): T {
  try {
    return task();
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error;
    // oxlint-disable-next-line preserve-caught-error -- the cause is what must not cross
    throw new Error(errorCode(error) ?? kind);
  }
}
