import { limits } from '../../../model/limits.ts';
import { asList, asRecord, operation } from '../operation.ts';
import type {
  Bbox,
  ClusterItem,
  ClusterParams,
  RecentSearches,
  StoredHistory,
  SuggestResult,
} from '../types.ts';

/**
 * @param zoom 0…24, fractions allowed.
 * @param gridSize cell size in pixels, 8…512.
 */
export function getClusters(zoom?: number, gridSize?: number, bookmarksOnly = false, bbox?: Bbox) {
  const params: ClusterParams = { zoom, gridSize, bookmarksOnly, ...(bbox && { bbox }) };
  return operation<ClusterItem[]>()({
    call: 'GET /api/clusters',
    args: [zoom, gridSize, bookmarksOnly, ...(bbox === undefined ? [] : [bbox])],
    query: { zoom, grid: gridSize, bookmarksOnly: bookmarksOnly ? 1 : undefined, bbox },
    read: asList<ClusterItem>,
    offline: () => [],
    started: ['clustersFetchStarted', params],
    succeeded: (clusters) => [['clustersFetched', clusters, params]],
    failed: (message) => ['clustersFetchFailed', message, params],
  });
}

export function suggest(query: string) {
  const nothing = { query, suggestions: [] };
  return operation<SuggestResult>()({
    call: 'GET /api/suggest',
    query: { q: query },
    read: (value) => {
      const result = asRecord<SuggestResult>(value);
      return { query, ...result, suggestions: asList(result?.suggestions) };
    },
    offline: () => nothing,
    started: ['suggestStarted', query],
    succeeded: (result) => [['suggestResults', result, query]],
    failed: (message) => ['suggestFailed', message, query],
  });
}

/** @param limit 1…200. */
export function getRecentSearches(limit: number = limits.recentDefault) {
  return operation<RecentSearches>()({
    call: 'GET /api/recent_suggest',
    query: { limit },
    read: (value) => {
      const result = asRecord<RecentSearches>(value);
      return { queries: asList(result?.queries), entries: asList(result?.entries) };
    },
    offline: () => ({ queries: [], entries: [] }),
    started: ['recentSearchesFetchStarted', limit],
    succeeded: ({ queries, entries }) => [
      ['recentSearchesFetched', queries, limit],
      ['recentSearchEntriesFetched', entries, limit],
    ],
    failed: (message) => ['recentSearchesFetchFailed', message, limit],
  });
}

/** Remembers a search; the place counts only when it is whole. */
export function recordHistory(query: string, lat?: number, lon?: number) {
  const hasPlace = Number.isFinite(lat) && Number.isFinite(lon);
  return operation<StoredHistory>()({
    call: 'POST /api/history',
    args: [query, lat, lon],
    body: hasPlace ? { query, lat, lon } : { query },
    read: (value) => ({ stored: 1, multiple: false, ...asRecord<StoredHistory>(value) }),
    offline: () => ({ stored: 0, multiple: false }),
  });
}

/** Forgets one search, or all; yields how many. That cannot be undone. */
export function clearHistory(query?: string) {
  return operation<number>()({
    call: 'DELETE /api/history',
    query: { query },
    read: (value) => asRecord<{ deleted: number }>(value)?.deleted ?? 0,
    succeeded: (deleted) => [['historyCleared', deleted]],
    failed: (message) => ['historyClearFailed', message],
  });
}
