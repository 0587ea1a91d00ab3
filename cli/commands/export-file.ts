import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../model/error-code.ts';
import { ExitError } from '../../model/exit-error.ts';
import { renameDurably, temporaryBeside } from '../../storage/atomic-file.ts';

/** Pieces are gathered to this size while the disk is busy, bytes. */
const chunkBytes = 65_536;

/**
 * Writes pieces to a file of their owner alone (0600) that appears, or replaces an older one, only when every piece is
 * on the disk. Whatever goes wrong leaves the older file as it was. A link stays one: the file it leads to is replaced.
 * @throws ExitError when the path is something else than a regular file.
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
