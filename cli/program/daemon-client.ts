import type { Readable } from 'node:stream';
import { readAnswer } from '../../client/waypoints/http.ts';
import { WaypointService } from '../../client/waypoints/node/node-service.ts';
import { accessTo, askDaemon, type Endpoint } from '../../client/waypoints/node/transport.ts';
import { asRecord, type Operation } from '../../client/waypoints/operation.ts';
import { withQuery, type Query } from '../../client/waypoints/path.ts';
import { cutOffFailure, RequestFailure } from '../../client/waypoints/request-failure.ts';
import { changesSchema, undoneSchema } from '../../model/change.ts';
import { geodataStatusSchema, installAnswerSchema } from '../../model/geodata.ts';
import { importResultSchema, importStatusSchema } from '../../model/import.ts';
import { importedFileSchema, importsSchema } from '../../model/imports.ts';
import { parseJson } from '../../model/parse-json.ts';
import type { Schema } from '../../model/schema.ts';
import { deletedHistorySchema, recentSchema, suggestSchema } from '../../model/search.ts';
import { statusSchema } from '../../model/status.ts';
import { timelineAcceptedSchema, timelineJobSchema } from '../../model/timeline-job.ts';
import {
  deletedBookmarkSchema,
  distinctTagsSchema,
  hiddenSchema,
  mergeDecidedSchema,
  renamedSchema,
  renamedTagSchema,
  shownWaypointSchema,
  waypointSchema,
  waypointTagsSchema,
} from '../../model/waypoint.ts';

/** The answers that commands rely on, by the method that asks for them. */
const answers: Readonly<Record<string, Schema>> = {
  addTag: waypointTagsSchema,
  addTags: waypointTagsSchema,
  addWaypoint: waypointSchema,
  clearHistory: deletedHistorySchema,
  decideBookmarksFile: mergeDecidedSchema,
  deleteTag: waypointTagsSchema,
  deleteWaypoint: deletedBookmarkSchema,
  editWaypoint: renamedSchema,
  fetchDistinctTags: distinctTagsSchema,
  fetchTags: waypointTagsSchema,
  getChanges: changesSchema,
  getGeodataStatus: geodataStatusSchema,
  getHidden: hiddenSchema,
  getImport: importedFileSchema,
  getImports: importsSchema,
  getImportStatus: importStatusSchema,
  getRecentSearches: recentSchema,
  getStatus: statusSchema,
  getTimeline: timelineJobSchema,
  hideWaypoint: deletedBookmarkSchema,
  importGpxDirectory: importResultSchema,
  installGeodata: installAnswerSchema,
  removeImport: importedFileSchema,
  renameTag: renamedTagSchema,
  restoreImport: importedFileSchema,
  showWaypoint: shownWaypointSchema,
  submitTimeline: timelineAcceptedSchema,
  suggest: suggestSchema,
  undoChange: undoneSchema,
  uploadImport: importResultSchema,
};

/** Methods without a time limit: a daemon that dies closes the connection. */
const unhurried = new Set([
  'importGpxDirectory',
  'installGeodata',
  'removeImport',
  'restoreImport',
  'uploadImport',
]);
/** The client timeout of the specification (section 8), as silence. */
const silenceMs = 8_000;

export interface StreamRequest {
  readonly query?: Query;
  /** JSON. */
  readonly body?: string | undefined;
  /** Silence that ends the request, ms; 0 is without end. */
  readonly silenceMs?: number;
  /**
   * Reads this much before yielding any of it. The daemon drops a reader that stands still, and a pager makes us stand
   * still for as long as its user reads a page.
   */
  readonly aheadBytes?: number;
}

/** The published client with answers checked by their schemas, and with streams of answers that may be large. */
export class DaemonClient extends WaypointService {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    const { port: apiPort, token: apiToken, proof } = endpoint;
    super({ apiPort, apiToken, apiProves: proof === 1 });
    this.#endpoint = endpoint;
  }

  protected override run<T>(
    operation: Operation<T>,
    method: string,
    args: readonly unknown[],
  ): Promise<T> {
    const { call, read = asRecord<T> } = operation;
    const checked = {
      ...operation,
      timeoutMs: unhurried.has(method) ? Infinity : operation.timeoutMs,
      read(value: unknown): T | undefined {
        const result = answers[method]?.safeParse(value) ?? { success: true, data: value };
        if (result.success) return read(result.data);
        throw new RequestFailure(`The daemon's answer to ${call} was not understood.`);
      },
    };
    return super.run(checked, method, args);
  }

  /** Imports a stream as one file. */
  upload(path: string, content: Readable) {
    // Sound: the transport of Node.js sends streams as well.
    return this.uploadImport(path, content as unknown as Uint8Array<ArrayBuffer>);
  }

  /**
   * Reads the elements of a JSON array that the daemon sends one on a line, without ever holding them all.
   * @throws RequestFailure when the array ends too early: a part of it is not to be taken for the whole.
   */
  async *elements<T>(schema: Schema<T>, path: string, request?: StreamRequest): AsyncGenerator<T> {
    for await (const line of this.lines(path, request)) {
      const result = schema.safeParse(parseJson(line));
      if (!result.success)
        throw new RequestFailure('The daemon sent a line that was not understood.');
      yield result.data;
    }
  }

  /** Reads the same elements as JSON texts. @throws as elements */
  async *lines(path: string, request?: StreamRequest): AsyncGenerator<string> {
    let last = '';
    for await (const line of splitLines(this.texts('GET', path, request))) {
      if (line === '') continue;
      last = line;
      if (line !== '[' && line !== ']' && line !== '[]') yield line.replace(/,$/u, '');
    }
    if (!last.endsWith(']')) throw cutOffFailure();
  }

  /**
   * Reads the answer to any request in pieces of text.
   * @throws RequestFailure for an error status, no answer, or one that ends too early.
   */
  async *texts(
    method: string,
    path: string,
    { aheadBytes = 0, ...request }: StreamRequest = {},
  ): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let held = '';
    let bytes = 0;
    for await (const piece of this.#pieces(method, path, request)) {
      held += decoder.decode(piece, { stream: true });
      bytes += piece.length;
      if (bytes < aheadBytes) continue;
      yield held;
      held = '';
    }
    if (held !== '') yield held;
  }

  /** Reads the bytes of an answer. @throws as texts */
  bytes(path: string): AsyncGenerator<Uint8Array> {
    return this.#pieces('GET', path, {});
  }

  async *#pieces(
    method: string,
    path: string,
    { query, ...request }: StreamRequest,
  ): AsyncGenerator<Uint8Array> {
    const target = { method, path: withQuery(path, query) };
    const answer = await askDaemon(accessTo(this.#endpoint), { silenceMs, ...target, ...request });
    if (answer.status >= 400) await readAnswer(answer.status, answer.pieces());
    // From here on silence may be our reader's.
    answer.allowSilence();
    yield* answer.pieces();
  }
}

/** Splits at line feeds only: node:readline also splits at U+2028, which a name may hold. */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
