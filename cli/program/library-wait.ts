import { setTimeout as delay } from 'node:timers/promises';
import { statusSchema } from '../../model/status.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { askIfKnown } from './ask-if-known.ts';
import { note } from '../terminal/output.ts';
import { counted } from '../terminal/text.ts';

const pauseMs = 200;
/** A wait that a person would notice is explained. */
const noteMs = 1_000;

/**
 * Waits while the daemon reads its library after a start. Lists wait for it there as well, but a lost library takes
 * longer than a request may.
 */
export async function untilLibraryIsRead(client: ApiClient): Promise<void> {
  const startedAt = performance.now();
  let isNoted = false;
  for (;;) {
    const status = await askIfKnown(client, statusSchema, '/api/status');
    if (status?.library.state !== 'reading') return;
    if (!isNoted && performance.now() - startedAt >= noteMs) {
      const { files_done: done, files_total: total } = status.library;
      note(
        `The library is being read, ${done.toLocaleString('en-US')} of ${counted(total, 'file')} done; this waits for it …`,
      );
      isNoted = true;
    }
    await delay(pauseMs);
  }
}
