import { Readable } from 'node:stream';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { uploadQuery } from '../../../model/imports.ts';
import { isLookedInto } from '../../../model/recorder-formats.ts';

/**
 * Names the file on standard input: as the user says, else by the time and its format.
 * @returns its path in the library, and all of it.
 * @throws ExitError for an invalid name or an unsupported format
 */
export async function inputFrom(source: Readable, as: string | undefined) {
  if (as !== undefined) {
    const isPath = uploadQuery.safeParse({ path: as }).success && isLookedInto(as);
    if (isPath) return { path: as, body: source };
    throw usageError(
      '--as is a path such as "phone/today.gpx": with the ending of a format, without .. and not absolute.',
    );
  }
  // Only here: most commands read no files.
  const [{ endingFor }, { headBytes }] = await Promise.all([
    import('../../../formats/containers/container.ts'),
    import('../../../formats/format.ts'),
  ]);
  // Sound: it has no encoding.
  const pieces: AsyncIterator<Buffer, undefined> = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isOver = false;
  while (head.length < headBytes && !isOver) {
    const { done, value } = await pieces.next();
    if (done === true) isOver = true;
    else head = Buffer.concat([head, value]);
  }
  const ending = endingFor(head.subarray(0, headBytes));
  if (ending === undefined) {
    const what = head.length === 0 ? 'is empty' : 'is of no format that is read';
    throw new ExitError(`Standard input ${what}. Nothing was imported.`);
  }
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return { path: `input/${time}${ending}`, body: Readable.from(withRest(head, pieces)) };
}

async function* withRest(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
