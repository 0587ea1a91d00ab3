import type { Readable } from 'node:stream';
import { readAnswer } from '../../client/waypoints/http.ts';
import { WaypointService } from '../../client/waypoints/node/node-service.ts';
import { accessTo, askDaemon, type Endpoint } from '../../client/waypoints/node/transport.ts';
import { asRecord, type Operation } from '../../client/waypoints/operation.ts';
import { withQuery, type Query } from '../../client/waypoints/path.ts';
import { cutOffFailure, RequestFailure } from '../../client/waypoints/request-failure.ts';
import { parseJson } from '../../model/parse-json.ts';
import type { Schema } from '../../model/schema.ts';

// Loaded on demand: making all schemas takes some 30 ms.
const changes = () => import('../../model/change.ts');
const geodata = () => import('../../model/geodata.ts');
const imports = () => import('../../model/import.ts');
const corrections = () => import('../../model/correction.ts');
const files = () => import('../../model/imports.ts');
const life = () => import('../../model/life.ts');
const searches = () => import('../../model/search.ts');
const status = () => import('../../model/status.ts');
const timelines = () => import('../../model/timeline-job.ts');
const waypoints = () => import('../../model/waypoint.ts');

/** Schemas of the answers that commands rely on, by the method that asks for them. */
const answers: Readonly<Record<string, () => Promise<Schema>>> = {
  addCorrection: async () => (await corrections()).correctionSchema,
  addTags: async () => (await waypoints()).waypointTagsSchema,
  addWaypoint: async () => (await waypoints()).waypointSchema,
  clearHistory: async () => (await searches()).deletedHistorySchema,
  decideBookmarksFile: async () => (await waypoints()).mergeDecidedSchema,
  deleteTag: async () => (await waypoints()).waypointTagsSchema,
  deleteWaypoint: async () => (await waypoints()).deletedBookmarkSchema,
  editWaypoint: async () => (await waypoints()).renamedSchema,
  fetchDistinctTags: async () => (await waypoints()).distinctTagsSchema,
  fetchTags: async () => (await waypoints()).waypointTagsSchema,
  getChanges: async () => (await changes()).changesSchema,
  getCorrections: async () => (await corrections()).correctionsSchema,
  getGeodataStatus: async () => (await geodata()).geodataStatusSchema,
  getHidden: async () => (await waypoints()).hiddenSchema,
  getImport: async () => (await files()).importedFileSchema,
  getImports: async () => (await files()).importsSchema,
  getImportStatus: async () => (await imports()).importStatusSchema,
  getPlaces: async () => (await life()).placesSchema,
  getRecentSearches: async () => (await searches()).recentSchema,
  getStatus: async () => (await status()).statusSchema,
  getSummary: async () => (await life()).summarySchema,
  getTimeline: async () => (await timelines()).timelineJobSchema,
  hideWaypoint: async () => (await waypoints()).deletedBookmarkSchema,
  importGpxDirectory: async () => (await imports()).importResultSchema,
  installGeodata: async () => (await geodata()).installAnswerSchema,
  removeImport: async () => (await files()).importedFileSchema,
  renameTag: async () => (await waypoints()).renamedTagSchema,
  restoreImport: async () => (await files()).importedFileSchema,
  showWaypoint: async () => (await waypoints()).shownWaypointSchema,
  submitTimeline: async () => (await timelines()).timelineAcceptedSchema,
  suggest: async () => (await searches()).suggestSchema,
  undoChange: async () => (await changes()).undoneSchema,
  uploadImport: async () => (await imports()).importResultSchema,
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

  protected override async run<T>(
    operation: Operation<T>,
    method: string,
    args: readonly unknown[],
  ): Promise<T> {
    const { call, read = asRecord<T> } = operation;
    const schema = await answers[method]?.();
    const checked = {
      ...operation,
      timeoutMs: unhurried.has(method) ? Infinity : operation.timeoutMs,
      read(value: unknown): T | undefined {
        const result = schema?.safeParse(value) ?? { success: true, data: value };
        if (result.success) return read(result.data);
        throw new RequestFailure(`The daemon's answer to ${call} was not understood.`);
      },
    };
    return super.run(checked, method, args);
  }

  upload(path: string, content: Readable, salvages?: boolean) {
    // Sound: the transport of Node.js sends streams as well.
    return this.uploadImport(path, content as unknown as Uint8Array<ArrayBuffer>, salvages);
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
    for await (const piece of this.pieces(method, path, request)) {
      held += decoder.decode(piece, { stream: true });
      bytes += piece.length;
      if (bytes < aheadBytes) continue;
      yield held;
      held = '';
    }
    if (held !== '') yield held;
  }

  /** Reads the bytes of an answer. @throws as texts */
  async *pieces(
    method: string,
    path: string,
    { query, ...request }: StreamRequest = {},
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
