import type { ChangeKind } from '../../model/change.ts';
import { service } from './service.ts';
import { notify } from './state.ts';

export const changeWords: Readonly<Record<ChangeKind, string>> = {
  bookmark_add: 'Bookmark added',
  bookmark_edit: 'Bookmark changed',
  bookmark_rename: 'Bookmark renamed',
  bookmark_delete: 'Bookmark deleted',
  tag_add: 'Tag added',
  tag_remove: 'Tag removed',
  tag_rename: 'Tag renamed',
  hide: 'Waypoint hidden',
  show: 'Waypoint shown again',
  merge: 'Bookmarks file merged',
  import: 'Files imported',
  import_remove: 'File removed',
  import_restore: 'File restored',
  undo: 'Change undone',
};

/** Requests whose change is told at once, with what takes it back. */
const told: readonly (readonly [request: RegExp, kind: ChangeKind])[] = [
  [/^POST \/api\/bookmarks$/u, 'bookmark_add'],
  [/^PATCH \/api\/bookmarks$/u, 'bookmark_edit'],
  [/^DELETE \/api\/bookmarks$/u, 'bookmark_delete'],
  [/^DELETE \/api\/tags$/u, 'tag_remove'],
  [/^DELETE \/api\/waypoints$/u, 'hide'],
  [/^DELETE \/api\/imports\/\d+$/u, 'import_remove'],
];

/** Offers to take back what this page changes, and tells what it could not do. */
export function offerUndo(): void {
  service.subscribe('changeMade', (change, request) => {
    const kind = told.find(([pattern]) => pattern.test(request))?.[1];
    if (kind === undefined) return;
    notify(changeWords[kind], { action: { label: 'Undo', run: () => undo(change) } });
  });
  service.subscribe('requestFailure', (request, failure) => {
    // That the daemon is away is told by itself, what was only looked at is looked at again, and so is a timeline.
    if (failure.status >= 400 && failure.status < 500 && !/^GET|\/timelines/u.test(request)) {
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
