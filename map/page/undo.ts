import { changeWords, type ChangeKind } from '../../model/change-words.ts';
import { isAway, service } from './service.ts';
import { notify } from './state.ts';

/** Describes a change in a sentence. */
export function wordsOf(kind: ChangeKind): string {
  const words = changeWords[kind];
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Requests whose change is told at once, with what takes it back. */
const told: readonly (readonly [request: RegExp, kind: ChangeKind])[] = [
  [/^POST \/api\/bookmarks$/u, 'bookmark_add'],
  [/^PATCH \/api\/bookmarks$/u, 'bookmark_edit'],
  [/^DELETE \/api\/bookmarks$/u, 'bookmark_delete'],
  [/^DELETE \/api\/tags$/u, 'tag_remove'],
  [/^DELETE \/api\/waypoints$/u, 'hide'],
  [/^DELETE \/api\/imports\/\d+$/u, 'import_remove'],
  [/^POST \/api\/corrections$/u, 'correction_add'],
  [/^DELETE \/api\/corrections\/\d+$/u, 'correction_delete'],
];

/** Offers to take back what this page changes, and tells what it could not do. */
export function offerUndo(): void {
  service.subscribe('changeMade', (change, request) => {
    const kind = told.find(([pattern]) => pattern.test(request))?.[1];
    if (kind === undefined) return;
    notify(wordsOf(kind), { action: { label: 'Undo', run: () => undo(change) } });
  });
  service.subscribe('requestFailure', (request, failure) => {
    // That the daemon is away is told by itself, what was only looked at is looked at again, and so is a timeline.
    if (!isAway(failure) && !/^GET|\/timelines/u.test(request)) {
      notify(failure.sentence, { isError: true });
    }
  });
}

/** Takes a change back. */
export function undo(change: number): void {
  service.undoChange(change).then(
    () => notify('Change undone'),
    () => undefined,
  );
}
