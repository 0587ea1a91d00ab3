import type { IncomingMessage } from 'node:http';
import { quoteEtag } from './etag.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './http-limits.ts';
import { sendPieces } from './pieces.ts';
import type { Answer, JsonAnswer } from './route.ts';
import { sendBytes } from './send-bytes.ts';

/** JSON longer than this goes out in pieces, so that a reader that stops cannot hold it in memory for ever. */
const wholeBytes = 65_536;

/** The headers of every answer (contract B.5), as the flat name, value list that Node writes fastest. */
export function standardHeaders(exchange: Exchange, etag?: string): string[] {
  const headers = [
    'Cache-Control',
    etag === undefined ? 'no-store' : 'private, no-cache',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy',
    'same-origin',
    'Referrer-Policy',
    'no-referrer',
    'X-Request-Id',
    exchange.requestId,
  ];
  if (etag !== undefined) headers.push('ETag', quoteEtag(etag));
  return headers;
}

/**
 * Sends a route's answer. The promise settles when all of it is handed over, or the client is gone; there is none for
 * what fits into one write.
 */
export function sendAnswer(
  exchange: Exchange,
  answer: Answer,
  limits: HttpLimits,
): Promise<void> | undefined {
  const headers = standardHeaders(exchange, answer.etag);
  if ('pieces' in answer) {
    headers.push('Content-Type', answer.contentType ?? 'application/json');
    headers.push(...(answer.headers ?? []));
    return sendPieces(exchange, answer, headers, limits.drainTimeoutMs);
  }
  if ('read' in answer) {
    headers.push('Content-Type', answer.contentType, 'Content-Length', String(answer.length));
    headers.push(...(answer.headers ?? []));
    return sendBytes(exchange, answer, headers, limits.drainTimeoutMs);
  }
  if (exchange.isOver) return undefined;
  if ('json' in answer) return sendJson(exchange, answer, headers, limits);
  headers.push(...(answer.headers ?? []));
  exchange.res.writeHead(answer.status, headers).end();
  return undefined;
}

function sendJson(
  exchange: Exchange,
  { status, json, contentType = 'application/json' }: JsonAnswer,
  headers: string[],
  limits: HttpLimits,
): Promise<void> | undefined {
  const text = JSON.stringify(json);
  const bytes = pushTextHeaders(headers, contentType, text);
  if (text.length > wholeBytes) {
    return sendPieces(exchange, { status, pieces: [text] }, headers, limits.drainTimeoutMs);
  }
  // One byte a character: ASCII, which goes out with the head in one piece and without being encoded.
  exchange.res.writeHead(status, headers).end(text, bytes === text.length ? 'latin1' : 'utf8');
  endStuckReader(exchange, limits);
  return undefined;
}

interface Refusal {
  readonly status: number;
  readonly headers: string[];
  readonly contentType: string;
  readonly text: string;
}

/**
 * Sends a short JSON text that refuses a request. A body that was not read ends the connection: the rest of it is thrown
 * away for a moment, so that the client gets to see the refusal.
 */
export async function sendRefusal(
  exchange: Exchange,
  { status, headers, contentType, text }: Refusal,
  limits: HttpLimits,
): Promise<void> {
  const { req, res } = exchange;
  pushTextHeaders(headers, contentType, text);
  const hasUnreadBody = exchange.hasBody && !req.readableEnded;
  if (hasUnreadBody) res.shouldKeepAlive = false;
  res.writeHead(status, headers);
  if (hasUnreadBody && !exchange.expectsContinue) {
    // The answer is complete with this write; `end` only ends the connection.
    res.write(text);
    await discardBody(req, limits);
    res.end();
  } else {
    res.end(text);
    endStuckReader(exchange, limits);
  }
}

/** @returns how many bytes the text is. */
function pushTextHeaders(headers: string[], contentType: string, text: string): number {
  const bytes = Buffer.byteLength(text);
  headers.push('Content-Type', contentType, 'Content-Length', String(bytes));
  return bytes;
}

/** Starts Node's own inactivity timer where the kernel did not take the whole answer at once; a later request stops it. */
function endStuckReader({ req }: Exchange, limits: HttpLimits): void {
  if (req.socket.writableLength > 0) req.socket.setTimeout(limits.drainTimeoutMs);
}

function discardBody(req: IncomingMessage, limits: HttpLimits): Promise<void> {
  return new Promise((resolve) => {
    let left = limits.lingerBytes;
    const finish = (): void => {
      clearTimeout(timer);
      req.off('data', onData);
      req.pause();
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) finish();
    };
    const timer = setTimeout(finish, limits.lingerMs);
    req.on('data', onData);
    req.once('end', finish);
    req.once('error', finish);
    req.once('close', finish);
    req.resume();
  });
}
