import { constants, rmSync } from 'node:fs';
import { open, realpath, rm, stat, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../model/error-code.ts';
import { renameDurably, temporaryBeside } from '../storage/atomic-file.ts';

/** Pieces are gathered to this size before they are written, bytes. */
const chunkBytes = 65_536;

/** Why a file cannot be written as a whole: it is a directory, a device or a pipe. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile';
}

/**
 * Writes pieces to a file of their owner alone (0600) that appears, or replaces an older one, only when every piece is
 * on the disk. Whatever goes wrong leaves the older file as it was. A link stays one: the file it leads to is replaced.
 * @throws NotAFile when the path is something else than a regular file.
 */
export async function writeFileInPieces(
  path: string,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const target = await findTarget(path);
  const temporary = temporaryBeside(target);
  // A signal ends the process without coming back here.
  const removeAtExit = (): void => rmSync(temporary, { force: true });
  process.on('exit', removeAtExit);
  try {
    const file = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
    try {
      await writeGathered(file, pieces);
      await file.sync();
    } finally {
      await file.close();
    }
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
  throw new NotAFile('not a regular file');
}

async function writeGathered(file: FileHandle, pieces: AsyncIterable<string>): Promise<void> {
  let gathered = '';
  for await (const piece of pieces) {
    gathered += piece;
    if (gathered.length < chunkBytes) continue;
    await file.writeFile(gathered);
    gathered = '';
  }
  await file.writeFile(gathered);
}
