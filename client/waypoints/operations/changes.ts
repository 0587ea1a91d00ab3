import type { ChangesAnswer, UndoneAnswer } from '../../../model/change.ts';
import type { HiddenAnswer } from '../../../model/waypoint.ts';
import { asList, asRecord, operation, placeOperation } from '../operation.ts';
import type { ChangesParams, PageParams, PlaceInput } from '../types.ts';

/** Changes of the last 30 days, newest first, a page at a time. */
export function getChanges(params: ChangesParams = {}) {
  return operation<ChangesAnswer>()({
    call: 'GET /api/changes',
    query: params,
    read: (value) => {
      const answer = asRecord<ChangesAnswer>(value);
      return { ...answer, changes: asList(answer?.changes) };
    },
    offline: () => ({ changes: [] }),
    started: ['changesFetchStarted', params],
    succeeded: (answer) => [['changesFetched', answer, params]],
    failed: (message) => ['changesFetchFailed', message, params],
  });
}

/** Takes a change back, by the number that `changeMade` or `getChanges` tells. */
export function undoChange(id: number) {
  return operation<UndoneAnswer>()({
    call: `POST /api/changes/${encodeURIComponent(id)}/undo`,
    started: ['changeUndoStarted', id],
    succeeded: (undone) => [['changeUndone', undone]],
    failed: (message) => ['changeUndoFailed', id, message],
  });
}

/**
 * Merges a bookmarks file that would delete many bookmarks, or writes it anew.
 * @returns false when none was waiting.
 */
export function decideBookmarksFile(accept: boolean) {
  return operation<boolean>()({
    call: 'POST /api/bookmarks/merge',
    body: { accept },
    read: (value) => asRecord<{ decided: boolean }>(value)?.decided === true,
    started: ['bookmarksFileDecideStarted', accept],
    succeeded: (decided) => [['bookmarksFileDecided', decided, accept]],
    failed: (message) => ['bookmarksFileDecideFailed', accept, message],
  });
}

/** Hides an imported waypoint, also from files that are imported later. */
export function hideWaypoint(waypoint: PlaceInput) {
  return placeOperation({
    call: 'DELETE /api/waypoints',
    waypoint,
    signals: ['waypointHideStarted', 'waypointHidden', 'waypointHideFailed'],
  });
}

/** Shows a hidden waypoint again, with the tags it had. */
export function showWaypoint(waypoint: PlaceInput) {
  return placeOperation({
    call: 'DELETE /api/hidden',
    waypoint,
    signals: ['waypointShowStarted', 'waypointShown', 'waypointShowFailed'],
  });
}

/** Hidden waypoints, newest first, a page at a time. */
export function getHidden(params: PageParams = {}) {
  return operation<HiddenAnswer>()({
    call: 'GET /api/hidden',
    query: params,
    read: (value) => {
      const answer = asRecord<HiddenAnswer>(value);
      return { ...answer, hidden: asList(answer?.hidden) };
    },
    offline: () => ({ hidden: [] }),
    started: ['hiddenFetchStarted', params],
    succeeded: (answer) => [['hiddenFetched', answer, params]],
    failed: (message) => ['hiddenFetchFailed', message, params],
  });
}
