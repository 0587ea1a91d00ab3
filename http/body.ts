import type { IncomingMessage } from 'node:http';
import { WaypointError } from '../model/failure.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './http-limits.ts';
import type { RequestContent } from './route.ts';

/** Ignores a leading byte order mark, as RFC 8259 allows: some Windows programs write one. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

type BodyLimits = Pick<HttpLimits, 'bodyBytes' | 'jsonBodyMs'>;

/**
 * Reads the request body as JSON.
 * @param mediaTypes what its Content-Type may name.
 * @throws WaypointError unsupported_media_type, too_large, timeout or invalid_json.
 */
export async function readJson(
  exchange: Exchange,
  limits: BodyLimits,
  mediaTypes: readonly string[],
): Promise<unknown> {
  if (!isJson(exchange, mediaTypes)) throw new WaypointError('unsupported_media_type');
  const bytes = await readBody(exchange, limits);
  try {
    // Keys called `__proto__` become plain own properties here, which no schema knows; they change no prototype.
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new WaypointError('invalid_json', { cause });
  }
}

/** Reads a body nobody asked for and throws it away, so that the connection can go on. @throws WaypointError too_large */
export async function ignoreBody(exchange: Exchange, limits: BodyLimits): Promise<void> {
  if (exchange.hasBody) await readBody(exchange, limits);
}

function isJson(exchange: Exchange, mediaTypes: readonly string[]): boolean {
  const types = exchange.header('content-type');
  const [type = ''] = types;
  const parameters = type.indexOf(';');
  const mediaType = (parameters === -1 ? type : type.slice(0, parameters)).trim().toLowerCase();
  const isPlain = exchange
    .header('content-encoding')
    .every((coding) => coding.toLowerCase() === 'identity');
  const isUtf8 = parameters === -1 || namesNoCharsetButUtf8(type.slice(parameters));
  return types.length === 1 && mediaTypes.includes(mediaType) && isPlain && isUtf8;
}

const charsets = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/giu;

/** Letters of another encoding might be valid UTF-8 by chance, and other letters then. */
function namesNoCharsetButUtf8(parameters: string): boolean {
  return [...parameters.matchAll(charsets)].every(([, quoted, bare]) =>
    /^utf-?8$/iu.test(quoted ?? bare ?? ''),
  );
}

function readBody(exchange: Exchange, { bodyBytes, jsonBodyMs }: BodyLimits): Promise<Buffer> {
  const { req, res } = exchange;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > bodyBytes) return Promise.reject(new WaypointError('too_large'));
  // A request that announces no body has ended before anybody listens, one whose client is gone is closed: no event follows.
  if (req.readableEnded) return Promise.resolve(Buffer.alloc(0));
  if (req.destroyed) return Promise.reject(new WaypointError('bad_request'));
  if (exchange.expectsContinue) res.writeContinue();
  const body = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= bodyBytes) {
        chunks.push(chunk);
        return;
      }
      req.off('data', onData);
      req.pause();
      reject(new WaypointError('too_large'));
    };
    req.on('data', onData);
    req.once('end', () => resolve(Buffer.concat(chunks, size)));
    // The client hung up, or the parser refused the rest and has answered: nobody will read this.
    req.once('error', (cause) => reject(new WaypointError('bad_request', { cause })));
    req.once('close', () => {
      if (!req.readableEnded) reject(new WaypointError('bad_request'));
    });
  });
  return jsonBodyMs === 0 ? body : withinTime(body, jsonBodyMs);
}

async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new WaypointError('timeout')), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The body of a request for a handler that reads it itself. */
export function contentOf(exchange: Exchange, { idleBodyMs }: HttpLimits): RequestContent {
  const { headers } = exchange.req;
  const length = headers['content-length'];
  return {
    length:
      length === undefined && headers['transfer-encoding'] !== undefined
        ? undefined
        : Number(length ?? 0),
    bytes: () => bytesOf(exchange, idleBodyMs),
  };
}

/** Pieces from this size on have memory of their own. */
const freedBytes = 16_384;

/** How far the connection runs ahead of the handler. */
const aheadBytes = 262_144;

/**
 * The bytes of a body as they come. Node's own iterator of a request costs an upload a third of its speed, and hands over one
 * piece a turn.
 */
function bytesOf(exchange: Exchange, idleMs: number): AsyncIterable<Uint8Array> {
  const { req, res } = exchange;
  return {
    [Symbol.asyncIterator]() {
      if (exchange.expectsContinue) res.writeContinue();
      return new BodyPieces(req, idleMs);
    },
  };
}

type Piece = IteratorResult<Uint8Array, undefined>;

class BodyPieces implements AsyncIterator<Uint8Array, undefined> {
  readonly #req: IncomingMessage;
  readonly #idleMs: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #given: Uint8Array | undefined;
  #waiting: PromiseWithResolvers<Piece> | undefined;
  /** Runs while the handler waits for the client: the time it takes to store a piece is not the client's. */
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  constructor(req: IncomingMessage, idleMs: number) {
    this.#req = req;
    this.#idleMs = idleMs;
    req.on('data', this.#onData).on('end', this.#onEnd);
    req.on('close', this.#onBreak).on('error', this.#onBreak);
  }

  next(): Promise<Piece> {
    free(this.#given);
    this.#given = undefined;
    const value = this.#pieces.shift();
    if (value !== undefined) {
      this.#bytes -= value.length;
      this.#given = value;
      return Promise.resolve({ value, done: false });
    }
    if (this.#req.readableEnded) return Promise.resolve(this.#end());
    if (this.#req.destroyed) return Promise.reject(this.#failure());
    if (this.#timer === undefined) {
      this.#timer = setTimeout(this.#onIdle, this.#idleMs);
    } else {
      this.#timer.refresh();
    }
    this.#waiting = Promise.withResolvers();
    this.#req.resume();
    return this.#waiting.promise;
  }

  return(): Promise<Piece> {
    return Promise.resolve(this.#end());
  }

  #end(): Piece {
    clearTimeout(this.#timer);
    const req = this.#req.off('data', this.#onData).off('end', this.#onEnd);
    req.off('close', this.#onBreak).off('error', this.#onBreak);
    if (!req.readableEnded) req.pause();
    return { value: undefined, done: true };
  }

  readonly #onData = (value: Uint8Array): void => {
    const waiting = this.#take();
    if (waiting !== undefined) {
      this.#given = value;
      waiting.resolve({ value, done: false });
      return;
    }
    this.#pieces.push(value);
    this.#bytes += value.length;
    if (this.#bytes >= aheadBytes) this.#req.pause();
  };

  readonly #onEnd = (): void => this.#take()?.resolve(this.#end());

  /** The client hung up, or was too slow. */
  readonly #onBreak = (): void => this.#take()?.reject(this.#failure());

  readonly #onIdle = (): void => {
    // The handler is busy; the client has had no chance yet.
    if (this.#waiting === undefined) return;
    this.#isLate = true;
    // There is nobody to be told.
    this.#req.destroy();
  };

  #take(): PromiseWithResolvers<Piece> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #failure(): WaypointError {
    this.#end();
    return new WaypointError(this.#isLate ? 'timeout' : 'bad_request');
  }
}

/**
 * Gives the memory of a piece back at once. Left to the garbage collector, which sees little of it, the pieces of a large body make
 * up two thirds of the process and a fifth of the work.
 */
function free(piece: Uint8Array | undefined): void {
  const buffer = piece?.buffer;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < freedBytes) return;
  // Only memory that is all this piece's: small ones may share theirs.
  if (buffer.byteLength === piece?.byteLength) buffer.transfer(0);
}
