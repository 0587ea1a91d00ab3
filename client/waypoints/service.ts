import type { ImportResult } from '../../model/import.ts';
import type { TimelineJobRecord } from '../../model/timeline-job.ts';
import * as bookmarks from './operations/bookmarks.ts';
import * as changes from './operations/changes.ts';
import * as geodata from './operations/geodata.ts';
import * as imports from './operations/imports.ts';
import * as machine from './operations/machine.ts';
import * as search from './operations/search.ts';
import * as tags from './operations/tags.ts';
import * as timelines from './operations/timelines.ts';
import * as tracks from './operations/tracks.ts';
import { Requests } from './requests.ts';
import type {
  Bbox,
  ClusterItem,
  StoredHistory,
  Tag,
  TimelineOptions,
  Waypoint,
  WaypointFilter,
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
  readonly addWaypoint = this.method('addWaypoint', bookmarks.addBookmark);
  /** Deletes a bookmark. */
  readonly deleteWaypoint = this.method('deleteWaypoint', bookmarks.deleteBookmark);
  /** Renames a bookmark; a blank name or its own fails with `no change`, without a request. */
  readonly renameWaypoint = this.method('renameWaypoint', bookmarks.renameBookmark);
  /** Changes a bookmark: its name, position, note and what else it has. Its tags stay with it. */
  readonly editWaypoint = this.method('editWaypoint', bookmarks.editBookmark);
  /** Waypoints, routes and tracks as the text of a file; one of many megabytes is better fetched as a stream. */
  readonly exportFile = this.method('exportFile', machine.exportFile);
  /** Hides an imported waypoint, also from files that are imported later. */
  readonly hideWaypoint = this.method('hideWaypoint', changes.hideWaypoint);
  /** Shows a hidden waypoint again, with the tags it had. */
  readonly showWaypoint = this.method('showWaypoint', changes.showWaypoint);
  /** What was hidden, newest first, a page at a time. */
  readonly getHidden = this.method('getHidden', changes.loadHidden);
  /** What was changed in the last 30 days, newest first, a page at a time. */
  readonly getChanges = this.method('getChanges', changes.loadChanges);

  /**
   * Merges a bookmarks file that would delete many bookmarks, or writes it anew.
   * @returns false when none was waiting.
   */
  readonly decideBookmarksFile = this.method('decideBookmarksFile', changes.decideBookmarksFile);
  /** Takes a change back, by the number that `changeMade` or `getChanges` tells. */
  readonly undoChange = this.method('undoChange', changes.undoChange);

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
  readonly getLocation = this.method('getLocation', machine.loadLocation);
  /** Imports the GPX files of a directory; the answer comes when that is done, within 110 s. */
  readonly importGpxDirectory = this.method('importGpxDirectory', machine.importDirectory);
  /** The imported files, newest first, a page at a time. */
  readonly getImports = this.method('getImports', imports.loadImports);
  readonly getImport = this.method('getImport', imports.loadImport);
  /** The original bytes of an imported file, whole in memory. */
  readonly getImportContent = this.method('getImportContent', imports.loadImportContent);

  /** Imports one file as a relative path, in place of what is there. */
  uploadImport(path: string, content: Uint8Array<ArrayBuffer>): Promise<ImportResult> {
    return this.run(imports.uploadImport(path, content), 'uploadImport', [path]);
  }

  /** Takes a file out of the library; later imports respect that. @param forever removes its bytes now. */
  readonly removeImport = this.method('removeImport', imports.removeImport);
  /** Makes a removed or replaced file active again. */
  readonly restoreImport = this.method('restoreImport', imports.restoreImport);
  /** How far the running import is, and what came of the last one. */
  readonly getImportStatus = this.method('getImportStatus', machine.loadImportStatus);
  /** Stops the running import after its present file. */
  readonly cancelImport = this.method('cancelImport', machine.cancelImport);
  readonly suggest = this.method('suggest', search.loadSuggestions);
  /** @param limit 1…200. */
  readonly getRecentSearches = this.method('getRecentSearches', search.loadRecentSearches);

  recordHistory(query: string, lat?: number, lon?: number): Promise<StoredHistory> {
    return this.run(search.recordSearch(query, lat, lon), 'recordHistory', [query, lat, lon]);
  }

  /** Forgets one search, or all; yields how many. That cannot be undone. */
  readonly clearHistory = this.method('clearHistory', search.clearHistory);
  readonly fetchTags = this.method('fetchTags', tags.loadTags);
  /** Yields all tags the waypoint has then; offline those it is given with, and this one. */
  readonly addTag = this.method('addTag', tags.addTag);
  /** Yields the tags that remain. */
  readonly deleteTag = this.method('deleteTag', tags.deleteTag);
  /** Renames a tag of all waypoints. */
  readonly renameTag = this.method('renameTag', tags.renameTag);

  /** All tags in use; the callback is called when they are there. */
  fetchDistinctTags(callback?: (tags: readonly Tag[]) => void): Promise<Tag[]> {
    return this.run(tags.loadVocabulary(), 'fetchDistinctTags', [], { onSuccess: callback });
  }

  /** What the daemon has and does. */
  readonly getStatus = this.method('getStatus', machine.loadStatus);
  readonly getVersion = this.method('getVersion', machine.loadVersion);
  readonly getGeodataStatus = this.method('getGeodataStatus', geodata.loadGeodataStatus);
  /** Starts the install of a generation; its progress is in the status. */
  readonly installGeodata = this.method('installGeodata', geodata.installGeneration);
  readonly cancelGeodataInstall = this.method('cancelGeodataInstall', geodata.cancelInstall);

  /** A vector tile of tracks, routes and waypoints; without bytes where there is nothing to draw. */
  readonly getTile = this.method('getTile', tracks.loadTile);
  /** What the tiles show, and where. */
  readonly getTileJson = this.method('getTileJson', tracks.loadTileJson);

  /** Thinned lines of tracks and routes as GeoJSON. */
  readonly getTracks = this.method('getTracks', tracks.loadTracks);
  /** The UTC days that have points of tracks. */
  readonly getTrackDays = this.method('getTrackDays', tracks.loadTrackDays);
  /** Points of tracks by time, with elevation, of at most a week; thinned where there are too many. */
  readonly getTrackPoints = this.method('getTrackPoints', tracks.loadTrackPoints);

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

  readonly cancelTimeline = this.method('cancelTimeline', timelines.cancelTimeline);
}
