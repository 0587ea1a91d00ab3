import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import {
  backupManifestSchema,
  backupNames,
  type BackupFile,
  type BackupManifest,
} from '../../model/backup.ts';
import { ExitError } from '../../model/exit-error.ts';
import { freePiece } from '../../model/free-piece.ts';

/** A file of the archive, read once and in order. */
type Entry = AsyncIterable<Buffer> & { readonly header: Header };

/** Memory of pieces in which one file ends and another one begins is not given back at once. */
const pieceBytes = 16_384;
/** Room for a million files of long names. */
const manifestBytes = 268_435_456;
const ownNames: readonly string[] = [backupNames.store, backupNames.bookmarks, backupNames.config];
const pieceOfPath = /^(?!\.{1,2}$)[^/\\\0]+$/u;

/**
 * Reads a backup to its end and checks all of it: the names, that it is complete, each size and SHA-256.
 * @param placeOf tells where a file is to be written, which must not exist; undefined for one that is only checked
 * @param onBytes is told how many bytes were read so far
 * @throws ExitError 65 for what is no backup, or a damaged one
 */
export async function readArchive(
  path: string,
  placeOf: (name: string) => string | undefined,
  onBytes: (bytes: number) => void,
): Promise<BackupManifest> {
  const source = createReadStream(path, { highWaterMark: pieceBytes });
  const archive = extract();
  // A failure of the source ends the archive with the same error, which is met below.
  const read = pipeline(source, archive as unknown as NodeJS.WritableStream);
  // Told where it is awaited, which may be later.
  read.catch(() => undefined);
  // The list itself is in the manifest; of a hundred thousand files one is enough.
  const listed = createHash('sha256');
  let manifest: BackupManifest | undefined;
  let bytes = 0;
  try {
    for await (const entry of archive as unknown as AsyncIterable<Entry>) {
      if (manifest !== undefined) throw damaged('something follows its manifest');
      if (entry.header.name === backupNames.manifest) {
        manifest = await readManifest(entry);
        continue;
      }
      const file = await readFile(entry, placeOf);
      listed.update(JSON.stringify(file));
      bytes += file.bytes;
      onBytes(bytes);
    }
    await read;
  } catch (error) {
    source.destroy();
    await read.catch(() => undefined);
    throw isOfArchive(error) ? damaged('it is cut off or no tar file', error) : error;
  }
  if (manifest === undefined) throw damaged('it has no manifest, so it was cut off');
  const { files } = manifest;
  const named = createHash('sha256');
  for (const file of files) named.update(JSON.stringify(file));
  if (named.digest('hex') !== listed.digest('hex'))
    throw damaged('its files are not those of its manifest');
  if (!files.some(({ name }) => name === backupNames.store))
    throw damaged(`it has no ${backupNames.store}`);
  return manifest;
}

/** What the reader of the archive says is plain text; what the disk says has a code. */
function isOfArchive(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ExitError) && !('syscall' in error);
}

function damaged(why: string, cause?: unknown): ExitError {
  return new ExitError(`This is no whole backup of waypointd: ${why}.`, 65, cause);
}

async function readManifest(entry: Entry): Promise<BackupManifest> {
  if (entry.header.size > manifestBytes) throw damaged('its manifest is too large');
  const pieces: Buffer[] = [];
  for await (const piece of entry) pieces.push(piece);
  try {
    return backupManifestSchema.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  } catch (error) {
    throw damaged('its manifest is of another kind', error);
  }
}

async function readFile(
  entry: Entry,
  placeOf: (name: string) => string | undefined,
): Promise<BackupFile> {
  const { name, type } = entry.header;
  if (type !== 'file' || !isOurs(name)) throw damaged('it holds files of other programs');
  const hash = createHash('sha256');
  let bytes = 0;
  async function* hashed(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  const place = placeOf(name);
  if (place === undefined) for await (const piece of hashed(entry)) freePiece(piece);
  else {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    const target = createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(hashed(entry), target);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** A name from elsewhere must not lead out of the directory. */
function isOurs(name: string): boolean {
  if (ownNames.includes(name)) return true;
  if (!name.startsWith(backupNames.imports)) return false;
  return name.split('/').every((piece) => pieceOfPath.test(piece));
}
