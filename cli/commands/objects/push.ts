import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ObjectClient } from '../../../client/objects/index.ts';
import type { ObjectBody } from '../../../model/objects.ts';
import { withTransferBar } from '../../terminal/progress-bar.ts';
import { forTerminal } from '../../terminal/text.ts';

/** While one file waits for the disk of the server, others are hashed or sent. */
const filesAtOnce = 4;

interface Pushed extends ObjectBody {
  readonly file: string;
  readonly sent: boolean;
}

/**
 * Sends files, all under one bar; the first failure ends those that are under way, too.
 * @param tell called for each file in their order, as soon as it and those before it are there.
 */
export async function pushAll(
  client: ObjectClient,
  files: readonly string[],
  signal: AbortSignal,
  tell: (pushed: Pushed) => Promise<void>,
): Promise<Pushed[]> {
  const { identifyFile } = await import('../../../client/objects/index.ts');
  const title =
    files.length === 1 ? forTerminal(basename(files[0] ?? '')) : `${files.length} files`;
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const failure = new AbortController();
  const ending = AbortSignal.any([signal, failure.signal]);
  return withTransferBar(title, bytes, async (show, hide) => {
    const pushed: Pushed[] = [];
    let [moved, told] = [0, 0];
    // All take the next file from here.
    const queue = files.entries();
    const work = async (): Promise<void> => {
      for (const [at, file] of queue) {
        const object = await identifyFile(file, ending);
        let own = 0;
        const onProgress = (sent: number): void => {
          moved += sent - own;
          own = sent;
          show(moved);
        };
        const { isSent } = await client.upload(file, object, { signal: ending, onProgress });
        onProgress(object.size);
        pushed[at] = { file, ...object, sent: isSent };
        for (let next = pushed[told]; next !== undefined; next = pushed[told]) {
          told += 1;
          hide();
          await tell(next);
        }
      }
    };
    const stopAll = (error: unknown): void => failure.abort(error);
    await Promise.all(Array.from({ length: filesAtOnce }, () => work().catch(stopAll)));
    ending.throwIfAborted();
    return pushed;
  });
}
