import { emptyImport } from '../../../model/empty-import.ts';
import type { ImportResult, ImportStatus } from '../../../model/import.ts';
import type { LocationFix, VersionInfo } from '../../../model/process.ts';
import type { DaemonStatus } from '../../../model/status.ts';
import { asRecord, operation } from '../operation.ts';
import type { CancelAnswer, ExportParams, ImportParams } from '../types.ts';

/** The specification gives 110 s for the method and 60 s in its summary; the longer one cuts off fewer imports. */
const importTimeoutMs = 110_000;
const unknown = 'unknown';

/** The position of the machine; null when it is unknown. */
export function getLocation() {
  return operation<LocationFix | null>()({
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
  });
}

/** Imports the files of a directory; the answer comes when that is done, within 110 s. */
export function importGpxDirectory(params: ImportParams) {
  const { dir, recursive = false, files, into, dry_run, again, salvage } = params;
  return operation<ImportResult>()({
    call: 'POST /api/import',
    body: { dir, recursive, files, into, dry_run, again, salvage },
    timeoutMs: importTimeoutMs,
    read: (value) => ({ ...emptyImport(dir), ...asRecord<ImportResult>(value) }),
    offline: () => emptyImport(dir),
    started: ['importStarted', params],
    succeeded: (summary) => [['importCompleted', summary, params]],
    failed: (message) => ['importFailed', message, params],
  });
}

/** How far the running import is, and what came of the last one. */
export function getImportStatus() {
  return operation<ImportStatus>()({
    call: 'GET /api/import',
    succeeded: (status) => [['importStatusFetched', status]],
    failed: (message) => ['importStatusFailed', message],
  });
}

/** Stops the running import after its present file. */
export function cancelImport() {
  return operation<CancelAnswer>()({
    call: 'DELETE /api/import',
    read: () => ({ status: 'cancelling' }),
    succeeded: () => [['importCancelAccepted']],
    failed: (message) => ['importCancelFailed', message],
  });
}

/** The daemon's holdings and work. */
export function getStatus() {
  return operation<DaemonStatus>()({
    call: 'GET /api/status',
    succeeded: (status) => [['statusFetched', status]],
    failed: (message) => ['statusFetchFailed', message],
  });
}

export function getVersion() {
  return operation<VersionInfo>()({
    call: 'GET /api/version',
    read: (value) => ({ ...unknownVersion(), ...asRecord<VersionInfo>(value) }),
    offline: unknownVersion,
    started: ['versionFetchStarted'],
    succeeded: (info) => [['versionFetched', info]],
    failed: (message) => ['versionFetchFailed', message],
  });
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
export function exportFile(params: ExportParams = {}) {
  return operation<string>()({
    call: 'GET /api/export',
    query: params,
    timeoutMs: exportTimeoutMs,
    // GeoJSON has been parsed by then.
    read: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
    started: ['exportStarted', params],
    succeeded: (text) => [['exportCompleted', text, params]],
    failed: (message) => ['exportFailed', message, params],
  });
}

/** As long as an import may take. */
const exportTimeoutMs = 110_000;
