import { route, type Answer, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import {
  importContentSchema,
  importedFileSchema,
  importParams,
  importsQuery,
  importsSchema,
  type ImportedFile,
} from '../../model/imports.ts';
import type { ImportLedger, LedgerFile } from '../../storage/waypoints/imports.ts';
import { openContent } from '../import/open-content.ts';

export interface ImportedFileParts {
  readonly ledger: ImportLedger;
  readonly importsDirectory: string;
  /** Resolves when the list says what the files say. */
  readonly ready: () => Promise<void>;
}

/** Files of a page that asks for no number. */
const pageFiles = 100;

/** `/api/imports`: the files that were imported, one by one. */
export function importedFileRoutes(parts: ImportedFileParts): Route[] {
  const { ledger, ready } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/imports',
      summary: 'Lists the imported files, newest first.',
      query: importsQuery,
      answers: { 200: importsSchema },
      async handle({ query }) {
        await ready();
        const { files, next } = ledger.page(query, query.limit ?? pageFiles);
        const json = {
          files: files.map(shown),
          ...(next === undefined ? {} : { next_cursor: next }),
        };
        return { status: 200, json };
      },
    }),
    route({
      method: 'GET',
      path: '/api/imports/{id}',
      summary: 'Tells of one imported file.',
      params: importParams,
      answers: { 200: importedFileSchema },
      async handle({ params }) {
        await ready();
        return { status: 200, json: shown(findFile(ledger, params.id)) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/imports/{id}/content',
      summary: 'Sends the original bytes of an imported file.',
      params: importParams,
      answers: { 200: importContentSchema },
      async handle({ params }): Promise<Answer> {
        await ready();
        const file = findFile(ledger, params.id);
        const { bytes, pieces, close } = await openContent(parts.importsDirectory, file);
        return {
          status: 200,
          contentType: 'application/octet-stream',
          headers: { 'Content-Length': String(bytes) },
          pieces,
          close,
        };
      },
    }),
  ];
}

/** @throws WaypointError not_found */
function findFile(ledger: ImportLedger, id: number): LedgerFile {
  const file = ledger.find(id);
  if (file === undefined) throw new WaypointError('not_found');
  return file;
}

/** What is told of a file: all but how its path is compared. */
function shown({ pathKey: _pathKey, ...file }: LedgerFile): ImportedFile {
  return file;
}
