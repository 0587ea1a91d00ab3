import { WaypointError } from '../model/failure.ts';
import type { Exchange } from './exchange.ts';

/** Ignores a leading byte order mark, as RFC 8259 allows: some Windows programs write one. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the request body as JSON.
 * @throws WaypointError unsupported_media_type, too_large or invalid_json.
 */
export async function readJson(exchange: Exchange, limitBytes: number): Promise<unknown> {
  if (!isJson(exchange)) throw new WaypointError('unsupported_media_type');
  const bytes = await readBody(exchange, limitBytes);
  try {
    // Keys called `__proto__` become plain own properties here, which no schema knows; they change no prototype.
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new WaypointError('invalid_json', { cause });
  }
}

/** Reads a body nobody asked for and throws it away, so that the connection can go on. @throws WaypointError too_large */
export async function ignoreBody(exchange: Exchange, limitBytes: number): Promise<void> {
  if (exchange.hasBody) await readBody(exchange, limitBytes);
}

function isJson(exchange: Exchange): boolean {
  const types = exchange.header('content-type');
  const [type = ''] = types;
  const parameters = type.indexOf(';');
  const mediaType = (parameters === -1 ? type : type.slice(0, parameters)).trim().toLowerCase();
  const isPlain = exchange
    .header('content-encoding')
    .every((coding) => coding.toLowerCase() === 'identity');
  return types.length === 1 && mediaType === 'application/json' && isPlain;
}

function readBody(exchange: Exchange, limitBytes: number): Promise<Buffer> {
  const { req, res } = exchange;
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limitBytes) return Promise.reject(new WaypointError('too_large'));
  if (exchange.expectsContinue) res.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limitBytes) {
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
}
