import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rm, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../model/error-code.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { exportContents, exportFormats, type ExportFormat } from '../../model/export.ts';
import { renameDurably, temporaryBeside } from '../../storage/atomic-file.ts';
import { defineCommand } from '../program/command.ts';
import { isLookedInto, promisedFormat } from '../../model/recorder-formats.ts';
import { withDaemon } from '../program/connection.ts';
import { notWritten } from '../terminal/access.ts';
import { note, write } from '../terminal/output.ts';
import { megabytes } from '../terminal/text.ts';

const exampleBox = '-9,41.5,-8,43';

export const command = defineCommand({
  name: 'export',
  summary: 'write waypoints, routes and tracks as GPX, GeoJSON, KML or CSV',
  description:
    'Writes all waypoints, routes and tracks as GPX, GeoJSON, KML or CSV, or those of a period and a box. A file is written whole or not at all: an older one stays as it is when something goes wrong.',
  options: {
    '-o, --output <file>': 'write to this file; standard output when left out or -',
    '-f, --format <format>': {
      help: "gpx, geojson, kml or csv; told by the file's ending when left out, else gpx",
      choices: exportFormats,
    },
    '--only <what>': {
      help: 'only waypoints, routes or tracks; may be given several times',
      choices: exportContents,
      isRepeated: true,
    },
    '-b, --bookmarks': 'only bookmarks',
    '-t, --tag <tag>': 'only waypoints with this tag',
    '--from <time>': 'only what is from then on, a UTC date or a time such as 2024-06-01T12:00:00Z',
    '--to <time>': 'only what is until then, a date included',
    '--bbox <west,south,east,north>': 'only what is in this box, in degrees',
  },
  examples: [
    'export -o all.gpx',
    'export --bookmarks -o bookmarks.csv',
    `export --only tracks --from 2024-05-01 --to 2024-05-31 --bbox ${exampleBox} -o may.kml`,
  ],
  notes: `GPX keeps every field, tags in <extensions>, and each track by segment with times and elevations.
An import never sets tags or bookmarks: these come back only by way of bookmarks.gpx. With --from
or --to, what has no time is left out; segments are cut where points are. CSV is for spreadsheets:
a text that one would run as a formula (it begins with = + - or @) gets an apostrophe in front. What
> gets, PowerShell before 7.4 writes in another encoding, and garbles names: use --output there.`,
  async run({ context, options }) {
    const file = options.output === '-' ? undefined : options.output;
    if (file === '') throw usageError('The file after --output is empty; - is standard output.');
    const format = chooseFormat(file, options.format);
    const { bookmarks, tag, from, to, bbox, only } = options;
    if (tag !== undefined && only?.includes('waypoints') === false)
      throw usageError('Only waypoints have tags: leave out --tag, or add --only waypoints.');
    const query = {
      format: format ?? 'gpx',
      contents: only?.join(','),
      ...(bookmarks && { bookmarksOnly: true }),
      tag,
      from,
      to,
      bbox: bbox?.replaceAll(' ', ''),
    };
    await withDaemon({ context, needsLibrary: !bookmarks }, async (client) => {
      const texts = client.texts('GET', '/api/export', { query });
      if (file !== undefined) return writeToFile(resolve(file), texts, format === undefined);
      for await (const text of texts) await write(text);
    });
  },
});

/** @returns undefined when nothing tells it. */
function chooseFormat(
  file: string | undefined,
  wanted: ExportFormat | undefined,
): ExportFormat | undefined {
  const ending = extname(file ?? '').toLowerCase();
  const promised = endings.get(ending);
  if (wanted !== undefined && promised !== undefined && wanted !== promised) {
    throw usageError(
      `A file that ends in ${ending} is not to hold ${labels[wanted]}. Give it another ending, or leave out --format.`,
    );
  }
  const isOtherFormat =
    promisedFormat(ending) !== undefined || isLookedInto(ending) || foreign.has(ending);
  if (promised === undefined && isOtherFormat) {
    throw usageError(
      `Files that end in ${ending} are not written. End the file in .gpx, .geojson, .kml or .csv.`,
    );
  }
  return wanted ?? promised;
}

const labels: Readonly<Record<ExportFormat, string>> = {
  gpx: 'GPX',
  geojson: 'GeoJSON',
  kml: 'KML',
  csv: 'CSV',
};

/** Endings of formats that are neither read nor written. */
const foreign = new Set(['.igc', '.gdb', '.plt', '.loc', '.itn', '.ov2']);

/** The formats that endings promise; GeoJSON is often kept as plain `.json`. */
const endings: ReadonlyMap<string, ExportFormat> = new Map([
  ['.gpx', 'gpx'],
  ['.geojson', 'geojson'],
  ['.json', 'geojson'],
  ['.kml', 'kml'],
  ['.csv', 'csv'],
]);

/** @param isUntold nothing has told the format: it is GPX then, whatever the ending may promise. */
async function writeToFile(
  file: string,
  texts: AsyncIterable<string>,
  isUntold: boolean,
): Promise<void> {
  try {
    await writeFileInPieces(file, texts);
  } catch (error) {
    throw notWritten(file, error);
  }
  const { size } = await stat(file);
  note(`Wrote ${megabytes(size)} to ${file}${isUntold ? ' as GPX' : ''}`);
}

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
