import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import getRawBody from 'raw-body';
import { WaypointError, type FailureName } from '../model/failure.ts';
import {
  announcedLength,
  expectsContinue,
  hasBody,
  headerValues,
  type Context,
} from './context.ts';
import type { HttpLimits } from './http-limits.ts';

const failures = new WeakMap<IncomingMessage, WaypointError>();

/** Notes that the rest of a request can never be read, and tells the reader of its body, if there is one, at once. */
export function breakRequest(req: IncomingMessage, name: FailureName): void {
  const failure = new WaypointError(name);
  failures.set(req, failure);
  if (req.listenerCount('error') > 0) req.emit('error', failure);
}

/** The parser's refusal of a request, or of a part of it. */
export function brokenBy({ req }: Context): WaypointError | undefined {
  return failures.get(req);
}

/** To be called before a body is read. @throws WaypointError where it can never be read whole */
function beginBody(ctx: Context): void {
  const failure = brokenBy(ctx);
  if (failure !== undefined) throw failure;
  if (expectsContinue(ctx)) ctx.res.writeContinue();
}

/** Ignores a leading byte order mark, as RFC 8259 allows: some Windows programs write one. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the request body as JSON.
 * @param mediaTypes what its Content-Type may name.
 * @throws WaypointError unsupported_media_type, too_large, timeout or invalid_json.
 */
export async function readJson(ctx: Context, mediaTypes: readonly string[]): Promise<unknown> {
  if (!isJson(ctx, mediaTypes)) throw new WaypointError('unsupported_media_type');
  const bytes = hasBody(ctx) ? await readBody(ctx) : undefined;
  try {
    // Keys called `__proto__` become plain own properties here, which no schema knows; they change no prototype.
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new WaypointError('invalid_json', { cause });
  }
}

function isJson(ctx: Context, mediaTypes: readonly string[]): boolean {
  const [type = '', ...more] = headerValues(ctx, 'content-type');
  const mediaType = type.split(';', 1).join().trim().toLowerCase();
  const isPlain = headerValues(ctx, 'content-encoding').every(
    (coding) => coding.toLowerCase() === 'identity',
  );
  const isKnown = more.length === 0 && mediaTypes.includes(mediaType);
  return isKnown && isPlain && namesNoCharsetButUtf8(type);
}

const charsets = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/giu;

/** Letters of another encoding might be valid UTF-8 by chance, and other letters then. */
function namesNoCharsetButUtf8(type: string): boolean {
  return [...type.matchAll(charsets)].every(([, quoted, bare]) =>
    /^utf-?8$/iu.test(quoted ?? bare ?? ''),
  );
}

/** Reads a body whole; also one that the route does not want, so that the connection can go on. @throws WaypointError */
export async function readBody(ctx: Context): Promise<Buffer> {
  const { req } = ctx;
  const { bodyBytes, jsonBodyMs } = ctx.limits;
  if ((announcedLength(ctx) ?? 0) > bodyBytes) throw new WaypointError('too_large');
  beginBody(ctx);
  let isRead = false;
  const onLate = (): unknown => !isRead && req.emit('error', new WaypointError('timeout'));
  // After the sockets had their turn: this thread may have been stuck all the time.
  const late = (): unknown => setImmediate(onLate);
  const timer = jsonBodyMs === 0 ? undefined : setTimeout(late, jsonBodyMs);
  try {
    return await getRawBody(req, { limit: bodyBytes });
  } catch (error) {
    throw bodyFailure(error);
  } finally {
    isRead = true;
    clearTimeout(timer);
  }
}

/** Every error of raw-body but `entity.too.large` means that the client hung up. */
function bodyFailure(error: unknown): WaypointError {
  if (error instanceof WaypointError) return error;
  const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
  return new WaypointError(isTooLarge ? 'too_large' : 'bad_request', { cause: error });
}

/** How many pieces, of 64 KiB at most, the connection runs ahead of the handler. */
const aheadPieces = 4;
/** After so many of one body other connections have their turn: Node would read 32 of them at once. */
const turnPieces = 4;

/**
 * The bytes of a body as they come, to be read once; each piece is good until the next one is asked for. Node's own
 * iterator of a request costs an upload a third of its speed.
 * @throws WaypointError bad_request when the client hangs up, timeout when it is slower than HttpLimits allow.
 */
export async function* bodyPieces(ctx: Context): AsyncGenerator<Uint8Array> {
  const { req, res, limits } = ctx;
  beginBody(ctx);
  // A request that has ended, or was destroyed, emits no further event.
  if (req.readableEnded) return;
  if (req.destroyed) throw new WaypointError('bad_request');
  const events = on(req, 'data', {
    close: ['end', 'close'],
    highWaterMark: aheadPieces,
    lowWaterMark: 1,
  });
  // Node tells nothing of a request whose answer is out, not even that its client has gone.
  res.once('close', () => void events.return?.());
  let taken = 0;
  const endWatch = watchPace(req, limits);
  try {
    for await (const [piece] of events as AsyncIterable<[Uint8Array]>) {
      yield piece;
      taken += 1;
      if (taken % turnPieces === 0) await turn();
    }
  } catch (cause) {
    throw cause instanceof WaypointError ? cause : new WaypointError('bad_request', { cause });
  } finally {
    endWatch();
    req.pause();
  }
  if (!req.readableEnded) throw new WaypointError('bad_request');
}

/** Breaks a request whose body comes too slowly, unless it is paused: then its bytes are stored slowly. @returns what ends that */
function watchPace(req: IncomingMessage, { slowBodyMs, slowBodyBytes }: HttpLimits): () => void {
  let [bytes, wasPaused, isOver] = [0, false, false];
  req.on('data', (piece: Uint8Array) => (bytes += piece.length));
  req.on('pause', () => (wasPaused = true));
  const look = (): void => {
    const isSlow = bytes < slowBodyBytes && !wasPaused && !req.complete;
    if (isSlow && !isOver) breakRequest(req, 'timeout');
    bytes = 0;
    wasPaused = req.isPaused();
  };
  // After the sockets had their turn: this thread may have been stuck all the time.
  const timer = setInterval(() => setImmediate(look), slowBodyMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
