import type { GeodataStatus } from '../../model/geodata.ts';
import type { ChangesAnswer, UndoneAnswer } from '../../model/change.ts';
import type { ImportResult, ImportStatus } from '../../model/import.ts';
import type { ImportedFile } from '../../model/imports.ts';
import type { LocationFix, VersionInfo } from '../../model/process.ts';
import type { DaemonStatus } from '../../model/status.ts';
import type { TimelineJobRecord } from '../../model/timeline-job.ts';
import type { HiddenAnswer, RenamedTag } from '../../model/waypoint.ts';
import * as bookmarks from './operations/bookmarks.ts';
import * as changes from './operations/changes.ts';
import * as geodata from './operations/geodata.ts';
import * as imports from './operations/imports.ts';
import * as machine from './operations/machine.ts';
import * as search from './operations/search.ts';
import * as tags from './operations/tags.ts';
import * as timelines from './operations/timelines.ts';
import { Requests } from './requests.ts';
import type {
  Bbox,
  CancelAnswer,
  ChangesParams,
  ClusterItem,
  ExportParams,
  ImportedFiles,
  ImportParams,
  ImportsFilter,
  InstallAnswer,
  PageParams,
  PlaceInput,
  RecentSearches,
  StoredHistory,
  SuggestResult,
  Tag,
  TagInput,
  TimelineOptions,
  Waypoint,
  WaypointChanges,
  WaypointFilter,
  WaypointInput,
} from './types.ts';

/** A promise of the job's id that knows, before it settles, by which number its signals will name the request. */
export interface TimelineSubmission extends Promise<string> {
  readonly requestId: number;
}

/**
 * The waypoint API for a user interface: one method for each thing it can ask, whose outcome comes both as a promise and
 * as signals. With `apiPort` below zero it works without a daemon (specification, "Offline fallback mode").
 *
 * A promise rejects with a RequestFailure; whoever only listens to signals may leave it alone.
 */
export class WaypointService extends Requests {
  #timelineRequests = 0;

  /** All waypoints, bookmarks first, or those of a filter. */
  getWaypoints(filter: WaypointFilter = {}): Promise<Waypoint[]> {
    const args = Object.keys(filter).length === 0 ? [] : [filter];
    return this.run(bookmarks.loadWaypoints(filter), 'getWaypoints', args);
  }

  /** Makes a bookmark. */
  addWaypoint(waypoint: WaypointInput): Promise<Waypoint> {
    return this.run(bookmarks.addBookmark(waypoint), 'addWaypoint', [waypoint]);
  }

  /** Deletes a bookmark. */
  deleteWaypoint(waypoint: PlaceInput): Promise<PlaceInput> {
    return this.run(bookmarks.deleteBookmark(waypoint), 'deleteWaypoint', [waypoint]);
  }

  /** Renames a bookmark; a blank name or its own fails with `no change`, without a request. */
  renameWaypoint(waypoint: WaypointInput, newName: string): Promise<Waypoint> {
    return this.run(bookmarks.renameBookmark(waypoint, newName), 'renameWaypoint', [
      waypoint,
      newName,
    ]);
  }

  /** Changes a bookmark: its name, position, note and what else it has. Its tags stay with it. */
  editWaypoint(waypoint: WaypointInput, changes: WaypointChanges): Promise<Waypoint> {
    return this.run(bookmarks.editBookmark(waypoint, changes), 'editWaypoint', [waypoint, changes]);
  }

  /** Waypoints, routes and tracks as the text of a file; one of many megabytes is better fetched as a stream. */
  exportFile(params: ExportParams = {}): Promise<string> {
    return this.run(machine.exportFile(params), 'exportFile', [params]);
  }

  /** Hides an imported waypoint, also from files that are imported later. */
  hideWaypoint(waypoint: PlaceInput): Promise<PlaceInput> {
    return this.run(changes.hideWaypoint(waypoint), 'hideWaypoint', [waypoint]);
  }

  /** Shows a hidden waypoint again, with the tags it had. */
  showWaypoint(waypoint: PlaceInput): Promise<PlaceInput> {
    return this.run(changes.showWaypoint(waypoint), 'showWaypoint', [waypoint]);
  }

  /** What was hidden, newest first, a page at a time. */
  getHidden(params: PageParams = {}): Promise<HiddenAnswer> {
    return this.run(changes.loadHidden(params), 'getHidden', [params]);
  }

  /** What was changed in the last 30 days, newest first, a page at a time. */
  getChanges(params: ChangesParams = {}): Promise<ChangesAnswer> {
    return this.run(changes.loadChanges(params), 'getChanges', [params]);
  }

  /**
   * Merges a bookmarks file that would delete many bookmarks, or writes it anew.
   * @returns false when none was waiting.
   */
  decideBookmarksFile(accept: boolean): Promise<boolean> {
    return this.run(changes.decideBookmarksFile(accept), 'decideBookmarksFile', [accept]);
  }

  /** Takes a change back, by the number that `changeMade` or `getChanges` tells. */
  undoChange(id: number): Promise<UndoneAnswer> {
    return this.run(changes.undoChange(id), 'undoChange', [id]);
  }

  /**
   * @param zoom 0…24, fractions allowed.
   * @param gridSize cell size in pixels, 8…512.
   */
  getClusters(
    zoom?: number,
    gridSize?: number,
    bookmarksOnly = false,
    bbox?: Bbox,
  ): Promise<ClusterItem[]> {
    const box = bbox === undefined ? [] : [bbox];
    const params = { zoom, gridSize, bookmarksOnly, ...(bbox && { bbox }) };
    const args = [zoom, gridSize, bookmarksOnly, ...box];
    return this.run(search.loadClusters(params), 'getClusters', args);
  }

  /** Where the machine is; null when nobody knows. */
  getLocation(): Promise<LocationFix | null> {
    return this.run(machine.loadLocation(), 'getLocation', []);
  }

  /** Imports the GPX files of a directory; the answer comes when that is done, within 110 s. */
  importGpxDirectory(params: ImportParams): Promise<ImportResult> {
    return this.run(machine.importDirectory(params), 'importGpxDirectory', [params]);
  }

  /** The imported files, newest first, a page at a time. */
  getImports(filter: ImportsFilter = {}): Promise<ImportedFiles> {
    return this.run(imports.loadImports(filter), 'getImports', [filter]);
  }

  getImport(id: number): Promise<ImportedFile> {
    return this.run(imports.loadImport(id), 'getImport', [id]);
  }

  /** The original bytes of an imported file, whole in memory. */
  getImportContent(id: number): Promise<Uint8Array> {
    return this.run(imports.loadImportContent(id), 'getImportContent', [id]);
  }

  /** Imports one file as a relative path, in place of what is there. */
  uploadImport(path: string, content: Uint8Array<ArrayBuffer>): Promise<ImportResult> {
    return this.run(imports.uploadImport(path, content), 'uploadImport', [path]);
  }

  /** Takes a file out of the library; later imports respect that. @param forever removes its bytes now. */
  removeImport(id: number, forever = false): Promise<ImportedFile> {
    return this.run(imports.removeImport(id, forever), 'removeImport', [id, forever]);
  }

  /** Makes a removed or replaced file active again. */
  restoreImport(id: number): Promise<ImportedFile> {
    return this.run(imports.restoreImport(id), 'restoreImport', [id]);
  }

  /** How far the running import is, and what came of the last one. */
  getImportStatus(): Promise<ImportStatus> {
    return this.run(machine.loadImportStatus(), 'getImportStatus', []);
  }

  /** Stops the running import after its present file. */
  cancelImport(): Promise<CancelAnswer> {
    return this.run(machine.cancelImport(), 'cancelImport', []);
  }

  suggest(query: string): Promise<SuggestResult> {
    return this.run(search.loadSuggestions(query), 'suggest', [query]);
  }

  /** @param limit 1…200. */
  getRecentSearches(limit?: number): Promise<RecentSearches> {
    return this.run(search.loadRecentSearches(limit), 'getRecentSearches', [limit]);
  }

  recordHistory(query: string, lat?: number, lon?: number): Promise<StoredHistory> {
    return this.run(search.recordSearch(query, lat, lon), 'recordHistory', [query, lat, lon]);
  }

  /** Forgets one search, or all; yields how many. That cannot be undone. */
  clearHistory(query?: string): Promise<number> {
    return this.run(search.clearHistory(query), 'clearHistory', [query]);
  }

  fetchTags(waypoint: WaypointInput): Promise<Tag[]> {
    return this.run(tags.loadTags(waypoint), 'fetchTags', [waypoint]);
  }

  /** Yields all tags the waypoint has then; offline those it is given with, and this one. */
  addTag(waypoint: WaypointInput, tag: TagInput): Promise<Tag[]> {
    return this.run(tags.addTag(waypoint, tag), 'addTag', [waypoint, tag]);
  }

  /** Yields the tags that remain. */
  deleteTag(waypoint: WaypointInput, tag: TagInput): Promise<Tag[]> {
    return this.run(tags.deleteTag(waypoint, tag), 'deleteTag', [waypoint, tag]);
  }

  /** Renames a tag of all waypoints. */
  renameTag(tag: string, newTag: string): Promise<RenamedTag> {
    return this.run(tags.renameTag(tag, newTag), 'renameTag', [tag, newTag]);
  }

  /** All tags in use; the callback is called when they are there. */
  fetchDistinctTags(callback?: (tags: readonly Tag[]) => void): Promise<Tag[]> {
    return this.run(tags.loadVocabulary(), 'fetchDistinctTags', [], { onSuccess: callback });
  }

  /** What the daemon has and does. */
  getStatus(): Promise<DaemonStatus> {
    return this.run(machine.loadStatus(), 'getStatus', []);
  }

  getVersion(): Promise<VersionInfo> {
    return this.run(machine.loadVersion(), 'getVersion', []);
  }

  getGeodataStatus(): Promise<GeodataStatus> {
    return this.run(geodata.loadGeodataStatus(), 'getGeodataStatus', []);
  }

  /** Starts the install of a generation; its progress is in the status. */
  installGeodata(id: string): Promise<InstallAnswer> {
    return this.run(geodata.installGeneration(id), 'installGeodata', [id]);
  }

  cancelGeodataInstall(): Promise<CancelAnswer> {
    return this.run(geodata.cancelInstall(), 'cancelGeodataInstall', []);
  }

  /** Queues a timeline of whole days, `YYYY-MM-DD`, both inclusive; UTC days without a `time_zone`. */
  submitTimeline(start: string, end: string, options: TimelineOptions = {}): TimelineSubmission {
    const requestId = (this.#timelineRequests += 1);
    const args = Object.keys(options).length === 0 ? [start, end] : [start, end, options];
    const operation = timelines.submitTimeline(requestId, start, end, options);
    const submitted = this.run(operation, 'submitTimeline', args);
    return Object.assign(submitted, { requestId });
  }

  /** @param includeResult asks for the result of a completed job as well, with 60 s of time. */
  getTimeline(id: string, includeResult = false): Promise<TimelineJobRecord> {
    return this.run(timelines.loadTimeline(id, includeResult), 'getTimeline', [id, includeResult]);
  }

  cancelTimeline(id: string): Promise<CancelAnswer> {
    return this.run(timelines.cancelTimeline(id), 'cancelTimeline', [id]);
  }
}
