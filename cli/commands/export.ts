import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rm, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { type ExportFormat, exportFormats, exportWriter } from '../../formats/export/formats.ts';
import { errorCode } from '../../model/error-code.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { formatTime } from '../../model/time.ts';
import { waypointSchema } from '../../model/waypoint.ts';
import { renameDurably, temporaryBeside } from '../../storage/atomic-file.ts';
import { defineCommand } from '../program/command.ts';
import { otherFormat } from './import/other-formats.ts';
import { withDaemon } from '../program/connection.ts';
import { note, write } from '../terminal/output.ts';
import { counted } from '../terminal/text.ts';

/** `waypointd export` */
export const command = defineCommand({
  name: 'export',
  summary: 'write waypoints as GPX, GeoJSON or CSV',
  description:
    'Writes all waypoints as GPX, GeoJSON or CSV. A file is written whole or not at all: an older one\nstays as it is when something goes wrong.',
  options: {
    '-o, --output <file>': 'write to this file; standard output when left out or -',
    '-f, --format <format>': {
      help: "gpx, geojson or csv; told by the file's ending when left out, else gpx",
      choices: exportFormats,
    },
    '-b, --bookmarks': 'only bookmarks',
  },
  examples: ['export -o all.gpx', 'export --bookmarks --format csv > bookmarks.csv'],
  notes: `GPX keeps every field, tags in <extensions>. Imported elsewhere it gives the same waypoints;
an import never sets tags or bookmarks, so these come back only by way of bookmarks.gpx. CSV is for
spreadsheets: a text that one would run as a formula (it begins with = + - or @) gets an apostrophe
in front.`,
  async run({ context, options }) {
    const file = options.output === '-' ? undefined : options.output;
    if (file === '') throw usageError('The file after --output is empty; - is standard output.');
    const known = options.format ?? formatOf(file);
    const ending = extname(file ?? '').toLowerCase();
    if (known === undefined && otherFormat(ending) !== undefined) {
      throw usageError(
        `Files that end in ${ending} are not written. End the file in .gpx, .geojson or .csv, or tell with --format what it is to be.`,
      );
    }
    await withDaemon({ context, needsLibrary: !options.bookmarks }, async (client) => {
      const pieces = piecesOf(client, known ?? 'gpx', options.bookmarks);
      if (file !== undefined) return writeToFile(resolve(file), pieces, known === undefined);
      for await (const text of pieces.texts) await write(text);
    });
  },
});

/** The format that a file's ending tells; GeoJSON is often kept as plain `.json`. */
function formatOf(file: string | undefined): ExportFormat | undefined {
  return endings.get(extname(file ?? '').toLowerCase());
}

const endings: ReadonlyMap<string, ExportFormat> = new Map([
  ['.gpx', 'gpx'],
  ['.geojson', 'geojson'],
  ['.json', 'geojson'],
  ['.csv', 'csv'],
]);

type Pieces = ReturnType<typeof piecesOf>;

function piecesOf(client: ApiClient, format: ExportFormat, bookmarksOnly: boolean) {
  let count = 0;
  async function* texts(): AsyncGenerator<string> {
    const writer = exportWriter(format, formatTime(Date.now()));
    const query = bookmarksOnly ? { bookmarksOnly } : {};
    yield writer.head;
    for await (const waypoint of client.elements(waypointSchema, '/api/waypoints', { query })) {
      yield writer.waypoint(waypoint, count === 0);
      count += 1;
    }
    yield writer.tail;
  }
  return { texts: texts(), count: () => count };
}

/** @param isUntold nothing has told the format: it is GPX then, whatever the ending may promise. */
async function writeToFile(
  file: string,
  { texts, count }: Pieces,
  isUntold: boolean,
): Promise<void> {
  try {
    await writeFileInPieces(file, texts);
  } catch (error) {
    const reason = fileProblems[errorCode(error) ?? ''];
    if (reason === undefined) throw error;
    throw new ExitError(`${file} was not written: ${reason}.`, 1, error);
  }
  note(`Wrote ${counted(count(), 'waypoint')} to ${file}${isUntold ? ' as GPX' : ''}`);
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its directory is not one',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EFBIG: 'it would be too large for the file system',
  EDQUOT: 'your disk quota is used up',
};

/** Pieces are gathered to this size while the disk is busy, bytes. */
const chunkBytes = 65_536;

/**
 * Writes pieces to a file of their owner alone (0600) that appears, or replaces an older one, only when every piece is
 * on the disk. Whatever goes wrong leaves the older file as it was. A link stays one: the file it leads to is replaced.
 * @throws ExitError when the path is something else than a regular file.
 */
async function writeFileInPieces(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const target = await findTarget(path);
  const temporary = temporaryBeside(target);
  // A signal ends the process without coming back here.
  const removeAtExit = (): void => rmSync(temporary, { force: true });
  process.on('exit', removeAtExit);
  try {
    const settings = { flags: 'wx', mode: 0o600, highWaterMark: chunkBytes, flush: true };
    await pipeline(pieces, createWriteStream(temporary, settings));
    await renameDurably(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    process.off('exit', removeAtExit);
  }
}

async function findTarget(path: string): Promise<string> {
  try {
    const target = await realpath(path);
    if ((await stat(target)).isFile()) return target;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path;
    throw error;
  }
  throw new ExitError(`${path} is not a regular file; leave out -o to write to standard output.`);
}
