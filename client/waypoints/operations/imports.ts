import type { ImportedFile } from '../../../model/imports.ts';
import { asRecord, type Operation } from '../operation.ts';
import type { ImportedFiles, ImportsFilter } from '../types.ts';

/** `getImports(filter)` */
export function loadImports(filter: ImportsFilter): Operation<ImportedFiles> {
  const { limit, cursor, q, state } = filter;
  return {
    call: 'GET /api/imports',
    query: { limit, cursor, q, state },
    read: (value) => ({ files: [], ...asRecord<Partial<ImportedFiles>>(value) }),
    succeeded: (page) => [['importsFetched', page, filter]],
    failed: (message) => ['importsFetchFailed', message, filter],
  };
}

/** `removeImport(id)`: its bytes are kept for 30 days, unless it goes for ever. */
export function removeImport(id: number, forever: boolean): Operation<ImportedFile> {
  return {
    call: `DELETE /api/imports/${id}`,
    ...(forever ? { query: { forever } } : {}),
    read: asRecord<ImportedFile>,
    succeeded: (file) => [['importRemoved', file]],
    failed: (message) => ['importRemoveFailed', id, message],
  };
}

/** `restoreImport(id)` */
export function restoreImport(id: number): Operation<ImportedFile> {
  return {
    call: `POST /api/imports/${id}/restore`,
    read: asRecord<ImportedFile>,
    succeeded: (file) => [['importRestored', file]],
    failed: (message) => ['importRestoreFailed', id, message],
  };
}
