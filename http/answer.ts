import type { Context } from './context.ts';
import { sendPieces } from './pieces.ts';
import type { Answer } from './route.ts';

/** JSON longer than this goes out in pieces, so that a reader that stops cannot hold it in memory for ever. */
const wholeBytes = 65_536;

/**
 * Puts a route's answer into Koa's response, which Koa sends. What does not fit into one write is sent here; the promise
 * settles when all of it is handed over, or the client is gone.
 */
export async function sendAnswer(ctx: Context, answer: Answer): Promise<void> {
  const { status, etag, contentType = 'application/json', headers = {} } = answer;
  const isEmpty = !('json' in answer || 'pieces' in answer || 'write' in answer);
  // Koa takes the absence of a body for 204.
  if (isEmpty) ctx.body = null;
  else ctx.set('Content-Type', contentType);
  ctx.status = status;
  if (etag !== undefined) {
    ctx.etag = etag;
    ctx.set('Cache-Control', 'private, no-cache');
  }
  ctx.set({ ...headers });
  if ('pieces' in answer) await sendPieces(ctx, answer);
  else if ('write' in answer) await answer.write(ctx);
  else if ('json' in answer) await sendText(ctx, JSON.stringify(answer.json));
}

async function sendText(ctx: Context, text: string): Promise<void> {
  if (text.length <= wholeBytes) {
    ctx.body = text;
    return;
  }
  ctx.length = Buffer.byteLength(text);
  await sendPieces(ctx, { pieces: [text] });
}
