import { bodyPieces } from '../../http/body.ts';
import { announcedLength } from '../../http/context.ts';
import { route, type Answer, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { importResultSchema } from '../../model/import.ts';
import {
  importContentSchema,
  importedFileSchema,
  importParams,
  importsQuery,
  importsSchema,
  removeImportQuery,
  uploadQuery,
  type ImportedFile,
} from '../../model/imports.ts';
import type { ImportLedger, LedgerFile } from '../../storage/waypoints/imports.ts';
import { limits } from '../../model/limits.ts';
import { changeHeader } from '../changes/change-header.ts';
import type { ImportedFiles } from '../import/imported-files.ts';
import type { Uploads } from '../import/uploads.ts';

/** Files of a page that asks for no number. */
const pageFiles = 100;

/**
 * `/api/imports`: the files that were imported, one by one.
 * @param ready resolves when the list says what the files say.
 */
export function importedFileRoutes(
  list: ImportLedger,
  imported: ImportedFiles,
  uploads: Uploads,
  ready: () => Promise<void>,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/imports',
      summary: 'Lists the imported files, newest first.',
      query: importsQuery,
      answers: { 200: importsSchema },
      async handle({ query }) {
        await ready();
        const { files, next } = list.page(query, query.limit ?? pageFiles);
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
        return { status: 200, json: shown(imported.find(params.id)) };
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
        const { bytes, pieces, close } = await imported.open(params.id);
        return {
          status: 200,
          contentType: 'application/octet-stream',
          headers: { 'Content-Length': String(bytes) },
          pieces,
          close,
        };
      },
    }),
    uploadRoute(uploads),
    ...changeRoutes(imported, ready),
  ];
}

function uploadRoute(uploads: Uploads): Route {
  return route({
    method: 'PUT',
    path: '/api/imports',
    summary: 'Takes one file, of any type and up to 4 GiB, and imports it as a relative path.',
    query: uploadQuery,
    readsContent: true,
    answers: { 201: importResultSchema },
    async handle({ ctx, query }) {
      if ((announcedLength(ctx) ?? 0) > limits.uploadBytes) throw new WaypointError('too_large');
      const { result, change } = await uploads.take(query, bodyPieces(ctx));
      return { status: 201, json: result, headers: changeHeader(change) };
    },
  });
}

function changeRoutes(imported: ImportedFiles, ready: () => Promise<void>): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/api/imports/{id}',
      summary:
        'Removes an imported file; its bytes are kept for 30 days, unless `forever` is asked for.',
      params: importParams,
      query: removeImportQuery,
      answers: { 200: importedFileSchema },
      async handle({ params, query }) {
        await ready();
        imported.find(params.id);
        const change = await (query.forever === true
          ? imported.removeForever(params.id)
          : imported.remove(params.id));
        const json = shown(imported.find(params.id));
        return { status: 200, json, headers: changeHeader(change) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/imports/{id}/restore',
      summary: 'Makes a removed or replaced file active again, in place of what took its place.',
      params: importParams,
      answers: { 200: importedFileSchema },
      async handle({ params }) {
        await ready();
        imported.find(params.id);
        const change = await imported.restore(params.id);
        const json = shown(imported.find(params.id));
        return { status: 200, json, headers: changeHeader(change) };
      },
    }),
  ];
}

/** What is told of a file: all but how its path is compared. */
function shown({ pathKey: _pathKey, ...file }: LedgerFile): ImportedFile {
  return file;
}
