import { constants, open, type FileHandle } from 'node:fs/promises';
import { readRange, type ByteRange } from '../../http/byte-range.ts';
import { route, type Route } from '../../http/route.ts';
import { ExitError } from '../../model/exit-error.ts';
import { WaypointError } from '../../model/failure.ts';

/** The first bytes of an archive, with its version. */
const magic = 'PMTiles\u0003';
/** Most that one request gets: the page reads tables and single tiles. */
const maxRangeBytes = 16_777_216;
const pieceBytes = 65_536;

/** A street map of the user's own, one archive, read where it lies. */
export interface Basemap {
  readonly route: Route;
  readonly close: () => Promise<void>;
}

/** Opens an archive. @throws ExitError 78 for a file that is absent, closed to us or of another kind */
export async function openBasemap(file: string): Promise<Basemap> {
  const refused = (why: string, cause?: unknown): ExitError =>
    new ExitError(`The street map ${file} ${why}; choose another with --basemap.`, 78, cause);
  // A pipe would keep us until something writes into it.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch((error: unknown) => {
    throw refused('cannot be opened', error);
  });
  try {
    const begin = Buffer.alloc(magic.length);
    await handle.read(begin, 0, magic.length, 0);
    if (begin.toString('latin1') === magic) return opened(handle);
  } catch {
    // A directory, say.
  }
  await handle.close();
  throw refused('is not a PMTiles archive (version 3)');
}

function opened(handle: FileHandle): Basemap {
  return {
    close: () => handle.close(),
    route: route({
      method: 'GET',
      path: '/basemap.pmtiles',
      summary: "Sends a range of the user's own street map.",
      answers: {},
      async handle({ ctx }) {
        const { size, mtimeMs } = await handle.stat();
        const range = readRange(ctx.req.headers.range, size);
        if (typeof range === 'string') throw unranged(size);
        const { from } = range;
        const to = Math.min(range.to, from + maxRangeBytes);
        return {
          status: 206,
          contentType: 'application/octet-stream',
          headers: {
            'Content-Length': String(to - from),
            'Content-Range': `bytes ${from}-${to - 1}/${size}`,
            // The page sees by it that the file is another one now; it is not to be kept.
            ETag: `"${size}-${mtimeMs}"`,
          },
          pieces: piecesOf(handle, { from, to }),
        };
      },
    }),
  };
}

function unranged(size: number): WaypointError {
  return new WaypointError('range', { headers: { 'Content-Range': `bytes */${size}` } });
}

async function* piecesOf(handle: FileHandle, { from, to }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const length = Math.min(pieceBytes, to - at);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
    if (bytesRead === 0) throw new Error('The street map ended too early.');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
