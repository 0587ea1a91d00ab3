import type { GeodataStatus } from '../../model/geodata.ts';
import type { ImportedFile } from '../../model/imports.ts';
import type { ChangesAnswer, UndoneAnswer } from '../../model/change.ts';
import type { ImportResult, ImportStatus } from '../../model/import.ts';
import type { LocationFix, VersionInfo } from '../../model/process.ts';
import type { HistoryEntry } from '../../model/search.ts';
import type { DaemonStatus } from '../../model/status.ts';
import type { TileJson, TrackDays, TrackPoints, Tracks } from '../../model/tracks.ts';
import type { TimelineJobRecord } from '../../model/timeline-job.ts';
import type { HiddenAnswer } from '../../model/waypoint.ts';
import type { RequestFailure } from './request-failure.ts';
import type {
  ChangesParams,
  ClusterItem,
  ClusterParams,
  ExportParams,
  ImportedFiles,
  ImportParams,
  ImportsFilter,
  PageParams,
  PlaceInput,
  SuggestResult,
  Tag,
  TileAddress,
  TrackPeriod,
  TrackPointsParams,
  TracksParams,
  Waypoint,
  WaypointChanges,
  WaypointInput,
} from './types.ts';

/** Every signal with its arguments, in the documented order. */
export interface WaypointSignals {
  requestSucceeded: [kind: string, result: unknown, context: unknown];
  requestFailed: [kind: string, errorMessage: string, context: unknown];
  /** With `requestFailed`: the failure itself, whose `sentence` can be shown to a person. */
  requestFailure: [kind: string, failure: RequestFailure, context: unknown];
  /** A request has changed something: the number of the change, for `undoChange`. */
  changeMade: [change: number, kind: string, context: unknown];

  waypointsLoadStarted: [];
  waypointsLoaded: [waypoints: readonly Waypoint[]];
  waypointsLoadFailed: [message: string];
  waypointAddStarted: [original: WaypointInput];
  waypointAdded: [saved: Waypoint, original: WaypointInput];
  waypointAddFailed: [original: WaypointInput, message: string];
  waypointDeleteStarted: [waypoint: PlaceInput];
  waypointDeleted: [waypoint: PlaceInput];
  waypointDeleteFailed: [waypoint: PlaceInput, message: string];
  waypointRenameStarted: [original: WaypointInput, newName: string];
  waypointRenamed: [updated: Waypoint, original: WaypointInput];
  waypointRenameFailed: [original: WaypointInput, newName: string, message: string];
  waypointEditStarted: [original: WaypointInput, changes: WaypointChanges];
  waypointEdited: [updated: Waypoint, original: WaypointInput];
  waypointEditFailed: [original: WaypointInput, changes: WaypointChanges, message: string];
  exportStarted: [params: ExportParams];
  exportCompleted: [text: string, params: ExportParams];
  exportFailed: [message: string, params: ExportParams];
  waypointHideStarted: [waypoint: PlaceInput];
  waypointHidden: [waypoint: PlaceInput];
  waypointHideFailed: [waypoint: PlaceInput, message: string];
  waypointShowStarted: [waypoint: PlaceInput];
  waypointShown: [waypoint: PlaceInput];
  waypointShowFailed: [waypoint: PlaceInput, message: string];
  hiddenFetchStarted: [params: PageParams];
  hiddenFetched: [answer: HiddenAnswer, params: PageParams];
  hiddenFetchFailed: [message: string, params: PageParams];

  changesFetchStarted: [params: ChangesParams];
  changesFetched: [answer: ChangesAnswer, params: ChangesParams];
  changesFetchFailed: [message: string, params: ChangesParams];
  changeUndoStarted: [id: number];
  changeUndone: [undone: UndoneAnswer];
  changeUndoFailed: [id: number, message: string];
  bookmarksFileDecideStarted: [accept: boolean];
  bookmarksFileDecided: [decided: boolean, accept: boolean];
  bookmarksFileDecideFailed: [accept: boolean, message: string];

  tagsFetchStarted: [place: PlaceInput];
  tagsFetched: [name: string, lat: number, lon: number, tags: readonly Tag[]];
  tagsFetchFailed: [place: PlaceInput, message: string];
  tagAddStarted: [name: string, lat: number, lon: number, tag: string];
  tagAdded: [name: string, lat: number, lon: number, tags: readonly Tag[], tag: string];
  tagAddFailed: [name: string, lat: number, lon: number, tag: string, message: string];
  tagDeleteStarted: [name: string, lat: number, lon: number, tag: string];
  tagDeleted: [name: string, lat: number, lon: number, tags: readonly Tag[], tag: string];
  tagDeleteFailed: [name: string, lat: number, lon: number, tag: string, message: string];

  tagRenameStarted: [tag: string, newTag: string];
  tagRenamed: [tag: string, newTag: string, waypoints: number];
  tagRenameFailed: [tag: string, newTag: string, message: string];

  clustersFetchStarted: [params: ClusterParams];
  clustersFetched: [clusters: readonly ClusterItem[], params: ClusterParams];
  clustersFetchFailed: [message: string, params: ClusterParams];

  locationFetchStarted: [];
  locationFetched: [fix: LocationFix | null];
  locationFetchFailed: [message: string];

  importStarted: [params: ImportParams];
  importCompleted: [summary: ImportResult, params: ImportParams];
  importFailed: [message: string, params: ImportParams];
  importStatusFetched: [status: ImportStatus];
  importStatusFailed: [message: string];
  importCancelAccepted: [];
  importCancelFailed: [message: string];

  importsFetched: [page: ImportedFiles, filter: ImportsFilter];
  importsFetchFailed: [message: string, filter: ImportsFilter];
  importFetched: [file: ImportedFile];
  importFetchFailed: [id: number, message: string];
  importContentFetched: [content: Uint8Array, id: number];
  importContentFetchFailed: [id: number, message: string];
  importUploadStarted: [path: string];
  importUploaded: [summary: ImportResult, path: string];
  importUploadFailed: [path: string, message: string];
  importRemoved: [file: ImportedFile];
  importRemoveFailed: [id: number, message: string];
  importRestored: [file: ImportedFile];
  importRestoreFailed: [id: number, message: string];

  suggestStarted: [query: string];
  suggestResults: [result: SuggestResult, query: string];
  suggestFailed: [message: string, query: string];

  recentSearchesFetchStarted: [limit: number];
  recentSearchesFetched: [queries: readonly string[], limit: number];
  recentSearchEntriesFetched: [entries: readonly HistoryEntry[], limit: number];
  recentSearchesFetchFailed: [message: string, limit: number];

  historyCleared: [deleted: number];
  historyClearFailed: [message: string];

  statusFetched: [status: DaemonStatus];
  statusFetchFailed: [message: string];

  versionFetchStarted: [];
  versionFetched: [info: VersionInfo];
  versionFetchFailed: [message: string];

  geodataStatusFetched: [status: GeodataStatus];
  geodataStatusFailed: [message: string];
  geodataInstallAccepted: [id: string];
  geodataInstallFailed: [id: string, message: string];
  geodataCancelAccepted: [];
  geodataCancelFailed: [message: string];

  tileFetched: [tile: Uint8Array, address: TileAddress];
  tileFetchFailed: [address: TileAddress, message: string];
  tileJsonFetched: [description: TileJson];
  tileJsonFetchFailed: [message: string];

  tracksFetched: [tracks: Tracks, params: TracksParams];
  tracksFetchFailed: [message: string, params: TracksParams];
  trackDaysFetched: [days: TrackDays, period: TrackPeriod];
  trackDaysFetchFailed: [message: string, period: TrackPeriod];
  trackPointsFetched: [points: TrackPoints, params: TrackPointsParams];
  trackPointsFetchFailed: [message: string, params: TrackPointsParams];

  timelineSubmitted: [requestId: number, jobId: string];
  timelineSubmitFailed: [requestId: number, message: string];
  timelineStatusFetched: [jobId: string, status: TimelineJobRecord];
  timelineStatusFailed: [jobId: string, message: string, includedResult: boolean];
  timelineCancelAccepted: [jobId: string];
  timelineCancelFailed: [jobId: string, message: string];
}

export type SignalName = keyof WaypointSignals;
export type SignalListener<Name extends SignalName> = (...args: WaypointSignals[Name]) => void;

/** One signal with its arguments. */
export type Emission = {
  [Name in SignalName]: readonly [name: Name, ...args: WaypointSignals[Name]];
}[SignalName];

/** Gets what a listener has thrown. */
export type ListenerErrorHandler = (error: unknown) => void;

type AnyListener = (...args: readonly unknown[]) => void;

/** Knows who listens to which signal and calls them; no listener can keep another one from being called. */
export class SignalBoard {
  readonly #listeners = new Map<SignalName, Set<AnyListener>>();
  readonly #onListenerError: ListenerErrorHandler;

  constructor(onListenerError: ListenerErrorHandler = throwLater) {
    this.#onListenerError = onListenerError;
  }

  /**
   * Has a listener called at every emission from now on; one that is subscribed twice is called once.
   * @returns the function that ends the subscription.
   */
  subscribe<Name extends SignalName>(name: Name, listener: SignalListener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    // Sound: a listener of `name` is called with the arguments of `name` only.
    this.#listeners.set(name, listeners.add(listener as AnyListener));
    return () => this.unsubscribe(name, listener);
  }

  unsubscribe<Name extends SignalName>(name: Name, listener: SignalListener<Name>): void {
    this.#listeners.get(name)?.delete(listener as AnyListener);
  }

  /** Calls the listeners of a signal in the order of their subscription. */
  protected emit([name, ...args]: Emission): void {
    const listeners = this.#listeners.get(name);
    // Who subscribes during an emission is called from the next one on; who leaves is not called any more.
    const present = [...(listeners ?? [])];
    for (const listener of present) {
      if (listeners?.has(listener) === true) this.guard(() => listener(...args));
    }
  }

  /** Calls something of the caller's; what it throws goes where errors of listeners go. */
  protected guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#onListenerError(error);
    }
  }
}

/** What `EventTarget` does with an error of a listener, in browsers and in Node.js: uncaught, but out of our way. */
function throwLater(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}
