import type { ImportResult } from '../../../model/import.ts';
import type { ImportedFile } from '../../../model/imports.ts';
import { asRecord, operation } from '../operation.ts';
import type { ImportedFiles, ImportsFilter } from '../types.ts';

/** The imported files, newest first, a page at a time. */
export function getImports(filter: ImportsFilter = {}) {
  return operation<ImportedFiles>()({
    call: 'GET /api/imports',
    query: filter,
    read: (value) => ({ files: [], ...asRecord<Partial<ImportedFiles>>(value) }),
    succeeded: (page) => [['importsFetched', page, filter]],
    failed: (message) => ['importsFetchFailed', message, filter],
  });
}

/** A large file takes its time on a slow disk. */
const contentTimeoutMs = 110_000;

export function getImport(id: number) {
  return operation<ImportedFile>()({
    call: `GET /api/imports/${id}`,
    succeeded: (file) => [['importFetched', file]],
    failed: (message) => ['importFetchFailed', id, message],
  });
}

/** The original bytes of an imported file, whole in memory. */
export function getImportContent(id: number) {
  return operation<Uint8Array>()({
    call: `GET /api/imports/${id}/content`,
    timeoutMs: contentTimeoutMs,
    asBytes: true,
    read: (value) => (value instanceof Uint8Array ? value : undefined),
    succeeded: (content) => [['importContentFetched', content, id]],
    failed: (message) => ['importContentFetchFailed', id, message],
  });
}

/**
 * Imports one file as a relative path, in place of what is there.
 * @param salvages takes in what is whole before the damage, if it is cut off or damaged.
 */
export function uploadImport(path: string, content: Uint8Array<ArrayBuffer>, salvages = false) {
  return operation<ImportResult>()({
    call: 'PUT /api/imports',
    args: [path],
    query: { path, ...(salvages ? { salvage: true } : {}) },
    content,
    timeoutMs: contentTimeoutMs,
    started: ['importUploadStarted', path],
    succeeded: (summary) => [['importUploaded', summary, path]],
    failed: (message) => ['importUploadFailed', path, message],
  });
}

/** Takes a file out of the library; later imports respect that. @param forever removes its bytes now, not after 30 days. */
export function removeImport(id: number, forever = false) {
  return operation<ImportedFile>()({
    call: `DELETE /api/imports/${id}`,
    ...(forever ? { query: { forever } } : {}),
    succeeded: (file) => [['importRemoved', file]],
    failed: (message) => ['importRemoveFailed', id, message],
  });
}

/** Makes a removed or replaced file active again. */
export function restoreImport(id: number) {
  return operation<ImportedFile>()({
    call: `POST /api/imports/${id}/restore`,
    succeeded: (file) => [['importRestored', file]],
    failed: (message) => ['importRestoreFailed', id, message],
  });
}
