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
import type { ListedFile } from '../../storage/waypoints/imports.ts';
import { limits } from '../../model/limits.ts';
import { changed } from './changed.ts';
import type { DaemonParts } from '../parts.ts';

/** Files of a page that asks for no number. */
const pageFiles = 100;

/** `/api/imports`: the files that were imported, one by one, once the list says what the files say. */
export function importedFileRoutes(parts: DaemonParts): Route[] {
  const { store, files: imported, library } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/imports',
      summary: 'Lists the imported files, newest first.',
      query: importsQuery,
      answers: { 200: importsSchema },
      async handle({ query }) {
        await library.listed;
        const { files, next } = store.imports.page(query, query.limit ?? pageFiles);
        return { status: 200, json: { files: files.map(shown), next_cursor: next } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/imports/{id}',
      summary: 'Tells of one imported file.',
      params: importParams,
      answers: { 200: importedFileSchema },
      async handle({ params }) {
        await library.listed;
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
        await library.listed;
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
    uploadRoute(parts),
    ...changeRoutes(parts),
  ];
}

function uploadRoute({ uploads }: DaemonParts): Route {
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
      return changed(result, change, 201);
    },
  });
}

function changeRoutes({ files: imported, library }: DaemonParts): Route[] {
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
        await library.listed;
        imported.find(params.id);
        const change = await (query.forever === true
          ? imported.removeForever(params.id)
          : imported.remove(params.id));
        return changed(shown(imported.find(params.id)), change);
      },
    }),
    route({
      method: 'POST',
      path: '/api/imports/{id}/restore',
      summary: 'Makes a removed or replaced file active again, in place of what took its place.',
      params: importParams,
      answers: { 200: importedFileSchema },
      async handle({ params }) {
        await library.listed;
        imported.find(params.id);
        const change = await imported.restore(params.id);
        return changed(shown(imported.find(params.id)), change);
      },
    }),
  ];
}

/** A file as answers show it: without the key that compares its path. */
function shown({ pathKey: _pathKey, ...file }: ListedFile): ImportedFile {
  return file;
}
