import { setImmediate as turn } from 'node:timers/promises';
import { isOver, standardHeaders, type Context } from './context.ts';
import type { Answer, StreamAnswer } from './route.ts';

/** Longest run of pieces between two turns of the event loop, in ms: a fast reader must not starve other requests. */
const turnMs = 2;
/** Bytes that a slow reader has to accept within `drainTimeoutMs`; also how far an answer runs ahead of its reader. */
const sliceBytes = 65_536;
/** Answers that never have a body, nor a length of one. */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

/** Sends a route's answer. The promise settles when all of it is handed over, or the client is gone. */
export function sendAnswer(ctx: Context, answer: Answer): Promise<void> | undefined {
  const text = 'json' in answer ? JSON.stringify(answer.json) : '';
  const isWhole = !('pieces' in answer || 'write' in answer);
  const head = headOf(ctx, answer, isWhole ? text : undefined);
  const { res } = ctx;
  // The headers at once: set one by one, they cost a tenth of a small request.
  const begin = (): unknown => res.headersSent || res.writeHead(answer.status, head);
  if (isWhole && text.length <= sliceBytes) {
    if (!isOver(ctx)) res.writeHead(answer.status, head).end(text);
    return undefined;
  }
  if ('write' in answer) return answer.write(begin);
  // In pieces, so that a reader that stops cannot hold it in memory for ever.
  return sendPieces(ctx, begin, 'pieces' in answer ? answer : { pieces: [text] });
}

/** @param text the whole body; undefined for one that is not known yet. */
function headOf(ctx: Context, answer: Answer, text: string | undefined): Record<string, string> {
  const { status, etag, contentType = 'application/json', headers } = answer;
  const head = standardHeaders(ctx);
  if (etag !== undefined) {
    head['Cache-Control'] = 'private, no-cache';
    head['ETag'] = etag.startsWith('"') ? etag : `"${etag}"`;
  }
  if (text !== '') head['Content-Type'] = contentType;
  const hasLength = text !== undefined && !bodiless.has(status);
  if (hasLength) head['Content-Length'] = String(Buffer.byteLength(text));
  return Object.assign(head, headers);
}

/**
 * Sends an answer piece by piece with back-pressure. The head goes out with the first piece, so that an error before it
 * is still answered as one; an error after it rises with the answer unended, and the connection is broken. Ends the
 * connection when the reader takes nothing for `drainTimeoutMs`. Calls `close` exactly once.
 */
async function sendPieces(
  ctx: Context,
  begin: () => unknown,
  { pieces, close }: Pick<StreamAnswer, 'pieces' | 'close'>,
): Promise<void> {
  const { res } = ctx;
  try {
    if (isOver(ctx)) return;
    // As if a turn were over: the first piece is sent before the next one is made, as Node sends at the end of a turn.
    let turnStart = -turnMs;
    for await (const piece of pieces) {
      for (const slice of slices(piece)) {
        if (res.destroyed) return;
        begin();
        if (!res.write(slice)) await settled(ctx, 'drain');
      }
      // A drain can come within the same turn, so time alone tells whether others have had theirs.
      if (performance.now() - turnStart < turnMs) continue;
      await turn();
      // Asked here, too: steps that find nothing are empty pieces, and may go on for long.
      if (res.destroyed) return;
      turnStart = performance.now();
    }
    if (res.destroyed) return;
    begin();
    res.end();
    if (!res.writableFinished) await settled(ctx, 'finish');
  } finally {
    close?.();
  }
}

function* slices(piece: string | Uint8Array): Generator<string | Uint8Array> {
  if (piece.length === 0) return;
  if (piece.length <= sliceBytes) {
    yield piece;
    return;
  }
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

/** Waits until the reader has taken what was written; a client that hangs up or takes too long ends the wait too. */
function settled({ req, res, limits }: Context, event: 'drain' | 'finish'): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => req.socket.destroy(), limits.drainTimeoutMs);
    const finish = (): void => {
      clearTimeout(timer);
      res.off(event, finish).off('close', finish);
      resolve();
    };
    res.once(event, finish).once('close', finish);
  });
}
