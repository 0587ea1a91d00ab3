import type { ExecutionContext } from 'ava';
import {
  WaypointService,
  type ServiceOptions,
  type SignalName,
} from '../../client/waypoints/index.ts';

/** Every signal, those of the specification (section 6) first, by hand: a name that changes must not change here with it. */
const every: Readonly<Record<SignalName, true>> = {
  requestSucceeded: true,
  requestFailed: true,
  waypointsLoadStarted: true,
  waypointsLoaded: true,
  waypointsLoadFailed: true,
  waypointAddStarted: true,
  waypointAdded: true,
  waypointAddFailed: true,
  waypointDeleteStarted: true,
  waypointDeleted: true,
  waypointDeleteFailed: true,
  waypointRenameStarted: true,
  waypointRenamed: true,
  waypointRenameFailed: true,
  waypointEditStarted: true,
  waypointEdited: true,
  waypointEditFailed: true,
  exportStarted: true,
  exportCompleted: true,
  exportFailed: true,
  tagsFetchStarted: true,
  tagsFetched: true,
  tagsFetchFailed: true,
  tagAddStarted: true,
  tagAdded: true,
  tagsAdded: true,
  tagsAddFailed: true,
  tagAddFailed: true,
  tagDeleteStarted: true,
  tagDeleted: true,
  tagDeleteFailed: true,
  clustersFetchStarted: true,
  clustersFetched: true,
  clustersFetchFailed: true,
  locationFetchStarted: true,
  locationFetched: true,
  locationFetchFailed: true,
  importStarted: true,
  importCompleted: true,
  importFailed: true,
  importsFetched: true,
  importsFetchFailed: true,
  importFetched: true,
  importFetchFailed: true,
  importContentFetched: true,
  importContentFetchFailed: true,
  importUploadStarted: true,
  importUploaded: true,
  importUploadFailed: true,
  importRemoved: true,
  importRemoveFailed: true,
  importRestored: true,
  importRestoreFailed: true,
  suggestStarted: true,
  suggestResults: true,
  suggestFailed: true,
  recentSearchesFetchStarted: true,
  recentSearchesFetched: true,
  recentSearchEntriesFetched: true,
  recentSearchesFetchFailed: true,
  historyCleared: true,
  historyClearFailed: true,
  statusFetched: true,
  statusFetchFailed: true,
  versionFetchStarted: true,
  versionFetched: true,
  versionFetchFailed: true,
  geodataStatusFetched: true,
  geodataStatusFailed: true,
  geodataInstallAccepted: true,
  geodataInstallFailed: true,
  geodataCancelAccepted: true,
  geodataCancelFailed: true,
  tileFetched: true,
  tileFetchFailed: true,
  tileJsonFetched: true,
  tileJsonFetchFailed: true,
  tracksFetched: true,
  tracksFetchFailed: true,
  trackDaysFetched: true,
  trackDaysFetchFailed: true,
  trackPointsFetched: true,
  trackPointsFetchFailed: true,
  timelineSubmitted: true,
  timelineSubmitFailed: true,
  timelineStatusFetched: true,
  timelineStatusFailed: true,
  timelineCancelAccepted: true,
  timelineCancelFailed: true,
  waypointHideStarted: true,
  waypointHidden: true,
  waypointHideFailed: true,
  waypointShowStarted: true,
  waypointShown: true,
  waypointShowFailed: true,
  hiddenFetchStarted: true,
  hiddenFetched: true,
  hiddenFetchFailed: true,
  changesFetchStarted: true,
  changesFetched: true,
  changesFetchFailed: true,
  changeUndoStarted: true,
  changeUndone: true,
  changeUndoFailed: true,
  bookmarksFileDecideFailed: true,
  bookmarksFileDecideStarted: true,
  bookmarksFileDecided: true,
  tagRenameStarted: true,
  tagRenamed: true,
  tagRenameFailed: true,
  importStatusFetched: true,
  importStatusFailed: true,
  importCancelAccepted: true,
  importCancelFailed: true,
  requestFailure: true,
  changeMade: true,
};

/** They repeat what the others tell; a test of their own listens to them. */
const besideOthers: readonly SignalName[] = ['requestFailure', 'changeMade'];

export const signalNames = Object.keys(every) as SignalName[];

/** One signal that was seen: its name, then its arguments. */
export type SeenSignal = readonly [name: SignalName, ...args: unknown[]];

export interface RecordedService {
  readonly service: WaypointService;
  /** Every signal since the last call, in order. */
  readonly taken: () => SeenSignal[];
}

/** A service whose every signal is written down; a listener that throws fails the test. */
export function recordedService(t: ExecutionContext, options: ServiceOptions): RecordedService {
  const service = new WaypointService({
    onListenerError: (error) => t.fail(String(error)),
    ...options,
  });
  let seen: SeenSignal[] = [];
  for (const name of signalNames.filter((one) => !besideOthers.includes(one))) {
    service.subscribe(name, (...args: unknown[]) => void seen.push([name, ...args]));
  }
  return {
    service,
    taken() {
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}
