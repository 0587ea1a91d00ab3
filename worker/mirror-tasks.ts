import {
  draftMirror,
  publishMirror,
  type DraftRequest,
  type DraftResult,
  type PublishRequest,
} from './mirror/rewrite.ts';
import type { TakeEditRequest, TakeEditResult } from './mirror/take-edit.ts';
import { runTask } from './run-task.ts';

/**
 * The tasks of the mirror worker, one export each; input and output are plain data or shared memory. They have a thread
 * of their own, because an import may take minutes.
 */
export function draft(request: DraftRequest): DraftResult {
  return runTask('mirror', () => draftMirror(request));
}

export function publish(request: PublishRequest): 'published' | 'changed' {
  return runTask('mirror', () => publishMirror(request));
}

/** Loads the reader of GPX only now: that is a third of the start of this thread, and most never take in an edit. */
export async function takeEdit(request: TakeEditRequest): Promise<TakeEditResult> {
  const { takeEdit: run } = await import('./mirror/take-edit.ts');
  return runTask('mirror', () => run(request));
}
