import { emptyImport } from '../../../model/empty-import.ts';
import type { ImportResult, ImportStatus } from '../../../model/import.ts';
import type { LocationFix, VersionInfo } from '../../../model/process.ts';
import type { DaemonStatus } from '../../../model/status.ts';
import { asRecord, type Operation } from '../operation.ts';
import type { CancelAnswer, ExportParams, ImportParams } from '../types.ts';

/** The specification gives 110 s for the method and 60 s in its summary; the longer one cuts off fewer imports. */
const importTimeoutMs = 110_000;
const unknown = 'unknown';

/** Where the machine is; null when nobody knows. */
export function getLocation(): Operation<LocationFix | null> {
  return {
    call: 'GET /api/location',
    // 204 without a body: no fix.
    read: (value) => asRecord<LocationFix>(value) ?? null,
    offline: () => ({
      lat: 0,
      lon: 0,
      accuracy_m: 0,
      timestamp: new Date().toISOString(),
      source: 'offline',
    }),
    started: ['locationFetchStarted'],
    succeeded: (fix) => [['locationFetched', fix]],
    failed: (message) => ['locationFetchFailed', message],
  };
}

/** Imports the GPX files of a directory; the answer comes when that is done, within 110 s. */
export function importGpxDirectory(params: ImportParams): Operation<ImportResult> {
  const { dir, recursive = false, files, into, dry_run, again } = params;
  return {
    call: 'POST /api/import',
    body: { dir, recursive, files, into, dry_run, again },
    timeoutMs: importTimeoutMs,
    read: (value) => ({ ...emptyImport(dir), ...asRecord<ImportResult>(value) }),
    offline: () => emptyImport(dir),
    started: ['importStarted', params],
    succeeded: (summary) => [['importCompleted', summary, params]],
    failed: (message) => ['importFailed', message, params],
  };
}

/** How far the running import is, and what came of the last one. */
export function getImportStatus(): Operation<ImportStatus> {
  return {
    call: 'GET /api/import',
    read: asRecord<ImportStatus>,
    succeeded: (status) => [['importStatusFetched', status]],
    failed: (message) => ['importStatusFailed', message],
  };
}

/** Stops the running import after its present file. */
export function cancelImport(): Operation<CancelAnswer> {
  return {
    call: 'DELETE /api/import',
    read: () => ({ status: 'cancelling' }),
    succeeded: () => [['importCancelAccepted']],
    failed: (message) => ['importCancelFailed', message],
  };
}

/** What the daemon has and does. */
export function getStatus(): Operation<DaemonStatus> {
  return {
    call: 'GET /api/status',
    read: asRecord<DaemonStatus>,
    succeeded: (status) => [['statusFetched', status]],
    failed: (message) => ['statusFetchFailed', message],
  };
}

export function getVersion(): Operation<VersionInfo> {
  return {
    call: 'GET /api/version',
    read: (value) => ({ ...unknownVersion(), ...asRecord<VersionInfo>(value) }),
    offline: unknownVersion,
    started: ['versionFetchStarted'],
    succeeded: (info) => [['versionFetched', info]],
    failed: (message) => ['versionFetchFailed', message],
  };
}

function unknownVersion(): VersionInfo {
  return {
    api: 1,
    features: [],
    runtime: { name: unknown, version: unknown },
    platform: { os: unknown, arch: unknown, release: unknown },
    module: { name: unknown, version: unknown },
    sqlite: unknown,
  };
}

/** Waypoints, routes and tracks as the text of a file; one of many megabytes is better fetched as a stream. */
export function exportFile(params: ExportParams = {}): Operation<string> {
  const { contents, bbox, ...query } = params;
  return {
    call: 'GET /api/export',
    query: { ...query, contents: contents?.join(','), bbox: bbox?.join(',') },
    timeoutMs: exportTimeoutMs,
    // GeoJSON has been parsed by then.
    read: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
    started: ['exportStarted', params],
    succeeded: (text) => [['exportCompleted', text, params]],
    failed: (message) => ['exportFailed', message, params],
  };
}

/** As long as an import may take. */
const exportTimeoutMs = 110_000;
