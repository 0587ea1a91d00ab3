import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import {
  backupManifestSchema,
  backupNames,
  type BackupContent,
  type BackupFile,
  type BackupHead,
} from '../../model/backup.ts';
import { errorCode } from '../../model/error-code.ts';
import { ExitError } from '../../model/exit-error.ts';

/** A file of the archive, read once and in order. */
type Entry = AsyncIterable<Buffer> & { readonly header: Header };

/** Memory of pieces in which one file ends and another one begins is not given back at once. */
const pieceBytes = 16_384;
/** Most bytes of a manifest without its list. */
const headBytes = 4_096;
const ownNames: readonly string[] = [backupNames.store, backupNames.bookmarks, backupNames.config];
/** Error codes for a file in the place of another one, or of its directory. */
const takenCodes = new Set<unknown>(['EEXIST', 'ENOTDIR']);
const pieceOfPath = /^(?!\.{1,2}$)[^/\\\0]+$/u;

/**
 * Reads a backup to its end and checks all of it: the names, that it is complete, each size and SHA-256.
 * @param placeOf tells where a file is to be written, which must not exist; undefined, as by default, for one that is only checked
 * @param onBytes called with the bytes read so far
 * @throws ExitError 65 for what is no backup, or a damaged one
 */
export async function readArchive(
  path: string,
  placeOf: (name: string) => string | undefined = () => undefined,
  onBytes: (bytes: number) => void = () => {},
): Promise<BackupContent> {
  const source = createReadStream(path, { highWaterMark: pieceBytes });
  const archive = extract();
  // A failure of the source ends the archive with the same error, which is met below.
  const read = pipeline(source, archive as unknown as NodeJS.WritableStream);
  // A failure is met where it is awaited.
  read.catch(() => undefined);
  const files: BackupFile[] = [];
  let bytes = 0;
  let head: BackupHead | undefined;
  try {
    for await (const entry of archive as unknown as AsyncIterable<Entry>) {
      if (head !== undefined) throw damaged('something follows its manifest');
      if (entry.header.name === backupNames.manifest) {
        head = await readManifest(entry, files);
        continue;
      }
      const file = await readFile(entry, placeOf);
      files.push(file);
      bytes += file.bytes;
      onBytes(bytes);
    }
    await read;
  } catch (error) {
    source.destroy();
    // Windows removes no file that is still open.
    await read.catch(() => undefined);
    if (takenCodes.has(errorCode(error)))
      throw damaged('two of its files have one name here', error);
    throw isOfArchive(error) ? damaged('it is cut off or no tar file', error) : error;
  }
  if (head === undefined) throw damaged('it has no manifest, so it was cut off');
  const store = files.find(({ name }) => name === backupNames.store)?.sha256;
  if (store === undefined) throw damaged(`it has no ${backupNames.store}`);
  return { ...head, files: files.length, bytes, store };
}

/** Errors of the archive's reader are plain text; errors of the disk have a code. */
function isOfArchive(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ExitError) && !('syscall' in error);
}

function damaged(why: string, cause?: unknown): ExitError {
  return new ExitError(`This is no whole backup of waypointd: ${why}.`, 65, cause);
}

/** Reads the manifest, whose list must be that of the files before it. */
async function readManifest(entry: Entry, files: readonly BackupFile[]): Promise<BackupHead> {
  const list = JSON.stringify(files);
  const isTooLong = entry.header.size > Buffer.byteLength(list) + headBytes;
  if (isTooLong) throw damaged('its files are not those of its manifest');
  const pieces: Buffer[] = [];
  for await (const piece of entry) pieces.push(piece);
  let manifest;
  try {
    manifest = backupManifestSchema.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  } catch (error) {
    throw damaged('its manifest is of another kind', error);
  }
  const { files: named, ...head } = manifest;
  if (JSON.stringify(named) !== list) throw damaged('its files are not those of its manifest');
  return head;
}

async function readFile(
  entry: Entry,
  placeOf: (name: string) => string | undefined,
): Promise<BackupFile> {
  const { name, type, pax, mtime: second } = entry.header;
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
  if (place === undefined) for await (const piece of hashed(entry)) void piece;
  else {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    const target = createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(hashed(entry), target);
    // Which of two imports is the newer one. What is kept for a while after it was replaced is kept from now on.
    const mtime = Number((pax as { mtime?: string } | null)?.mtime) || second;
    if (mtime !== undefined && !name.includes('/.')) await utimes(place, mtime, mtime);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** A name from elsewhere must not lead out of the directory. */
function isOurs(name: string): boolean {
  if (ownNames.includes(name)) return true;
  if (!name.startsWith(backupNames.imports)) return false;
  return name.split('/').every((piece) => pieceOfPath.test(piece));
}
