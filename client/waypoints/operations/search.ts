import { limits } from '../../../model/limits.ts';
import { asList, asRecord, type Operation } from '../operation.ts';
import type {
  ClusterItem,
  ClusterParams,
  RecentSearches,
  StoredHistory,
  SuggestResult,
} from '../types.ts';

/** `getClusters(zoom, gridSize, bookmarksOnly)` */
export function loadClusters(params: ClusterParams): Operation<ClusterItem[]> {
  const { zoom, gridSize, bookmarksOnly, bbox } = params;
  return {
    call: 'GET /api/clusters',
    query: {
      zoom,
      grid: gridSize,
      bookmarksOnly: bookmarksOnly ? 1 : undefined,
      bbox: bbox?.join(','),
    },
    read: asList<ClusterItem>,
    offline: () => [],
    started: ['clustersFetchStarted', params],
    succeeded: (clusters) => [['clustersFetched', clusters, params]],
    failed: (message) => ['clustersFetchFailed', message, params],
  };
}

/** `suggest(query)` */
export function loadSuggestions(query: string): Operation<SuggestResult> {
  const nothing = { query, suggestions: [] };
  return {
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
  };
}

/** `getRecentSearches(limit)` */
export function loadRecentSearches(
  limit: number = limits.recentDefault,
): Operation<RecentSearches> {
  return {
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
  };
}

/** `recordHistory(query, lat, lon)`; the place counts only when it is whole. */
export function recordSearch(query: string, lat?: number, lon?: number): Operation<StoredHistory> {
  const hasPlace = Number.isFinite(lat) && Number.isFinite(lon);
  return {
    call: 'POST /api/history',
    body: hasPlace ? { query, lat, lon } : { query },
    read: (value) => ({ stored: 1, multiple: false, ...asRecord<StoredHistory>(value) }),
    offline: () => ({ stored: 0, multiple: false }),
  };
}

/** `clearHistory(query)`: all of it without one. Yields how many were forgotten. */
export function clearHistory(query?: string): Operation<number> {
  return {
    call: 'DELETE /api/history',
    query: { query },
    read: (value) => asRecord<{ deleted: number }>(value)?.deleted ?? 0,
    succeeded: (deleted) => [['historyCleared', deleted]],
    failed: (message) => ['historyClearFailed', message],
  };
}
