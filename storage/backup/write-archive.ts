import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { freePiece } from '../../model/free-piece.ts';
import { backupNames, type BackupFile, type BackupManifest } from '../../model/backup.ts';

const pieceBytes = 65_536;

/** A file and its name in the archive. */
export interface ArchiveSource {
  readonly name: string;
  readonly path: string;
}

/**
 * Writes a tar file of these files, the manifest last, synced to the disk. Memory does not grow with their size.
 * @param path must not exist yet
 * @param onBytes is told how many bytes are in it so far
 */
export async function writeArchive(
  path: string,
  sources: readonly ArchiveSource[],
  head: Omit<BackupManifest, 'files'>,
  onBytes: (bytes: number) => void,
): Promise<BackupManifest> {
  const archive = pack();
  const written = pipeline(archive as unknown as NodeJS.ReadableStream, (pieces) =>
    writeSynced(path, pieces as AsyncIterable<Uint8Array>),
  );
  const filled = fill(archive, sources, head, onBytes).catch((error: unknown) => {
    archive.destroy(error as Error);
    throw error;
  });
  const [manifest] = await Promise.all([filled, written]);
  return manifest;
}

async function writeSynced(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const target = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      await target.writeFile(piece);
      freePiece(piece);
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

async function fill(
  archive: Pack,
  sources: readonly ArchiveSource[],
  head: Omit<BackupManifest, 'files'>,
  onBytes: (bytes: number) => void,
): Promise<BackupManifest> {
  const files: BackupFile[] = [];
  let bytes = 0;
  for (const source of sources) {
    const file = await addFile(archive, source);
    files.push(file);
    bytes += file.bytes;
    onBytes(bytes);
  }
  const manifest = { ...head, files };
  archive.entry({ name: backupNames.manifest, mode: 0o600 }, JSON.stringify(manifest));
  archive.finalize();
  return manifest;
}

/** The file is read through one descriptor: one that takes its place meanwhile is another file. */
async function addFile(archive: Pack, { name, path }: ArchiveSource): Promise<BackupFile> {
  const file = await open(path, 'r');
  try {
    const { size, mtime } = await file.stat();
    const entry = archive.entry({ name, size, mtime, mode: 0o600 });
    const hash = createHash('sha256');
    // Its streams are those of Node.js in all that a pipeline asks for.
    await pipeline(piecesOf(file, size, hash), entry as unknown as NodeJS.WritableStream);
    return { name, bytes: size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

async function* piecesOf(file: FileHandle, size: number, hash: Hash): AsyncGenerator<Buffer> {
  for (let done = 0; done < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, size - done));
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) throw new Error('A file became shorter while it was read.');
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    done += bytesRead;
    yield piece;
  }
}
