import { createHash, type Hash } from 'node:crypto';
import { appendFileSync, fstatSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { backupNames, type BackupFile, type BackupHead } from '../../model/backup.ts';
import { openFile } from '../open-file.ts';

const pieceBytes = 65_536;

/** A file and its name in the archive. */
export interface ArchiveSource {
  readonly name: string;
  readonly path: string;
}

/**
 * Writes a tar file of these files, the manifest last, synced to the disk. Memory does not grow with their size.
 * @param path must not exist yet
 * @param onBytes called with the bytes in it so far
 */
export async function writeArchive(
  path: string,
  sources: Iterable<ArchiveSource>,
  head: BackupHead,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const archive = pack();
  const written = pipeline(archive as unknown as NodeJS.ReadableStream, (pieces) =>
    writeSynced(path, pieces as AsyncIterable<Uint8Array>),
  );
  // Either failure ends the archive, and is what `written` fails with.
  const filled = fill(archive, sources, head, onBytes).catch((error: unknown) => {
    archive.destroy(error as Error);
  });
  await Promise.all([filled, written]);
}

async function writeSynced(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const target = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) appendFileSync(target.fd, piece);
    await target.sync();
  } finally {
    await target.close();
  }
}

async function fill(
  archive: Pack,
  sources: Iterable<ArchiveSource>,
  head: BackupHead,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const files: BackupFile[] = [];
  let bytes = 0;
  for (const source of sources) {
    const file = await addFile(archive, source);
    files.push(file);
    bytes += file.bytes;
    onBytes(bytes);
  }
  const manifest = JSON.stringify({ ...head, files });
  archive.entry({ name: backupNames.manifest, mode: 0o600 }, manifest);
  archive.finalize();
}

/** The file is read through one descriptor: one that takes its place meanwhile is another file. */
async function addFile(archive: Pack, { name, path }: ArchiveSource): Promise<BackupFile> {
  // At once: a thread of the pool for each step makes a small file cost five times as much.
  using file = openFile(path);
  const { size, mtime, mtimeMs } = fstatSync(file.fd);
  // Of two imports of one second one is newer. The middle of its microsecond: what unpacks it may round either way.
  const pax = { mtime: ((Math.floor(mtimeMs * 1_000) + 0.5) / 1e6).toFixed(7) };
  const entry = archive.entry({ name, size, mtime, pax, mode: 0o600 });
  const hash = createHash('sha256');
  // Its streams are those of Node.js in all that a pipeline asks for.
  await pipeline(piecesOf(file.fd, size, hash), entry as unknown as NodeJS.WritableStream);
  return { name, bytes: size, sha256: hash.digest('hex') };
}

function* piecesOf(file: number, size: number, hash: Hash): Generator<Buffer> {
  for (let done = 0; done < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, size - done));
    const bytesRead = readSync(file, buffer);
    if (bytesRead === 0) throw new Error('A file became shorter while it was read.');
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    done += bytesRead;
    yield piece;
  }
}
