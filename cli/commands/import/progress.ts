import { setTimeout as delay } from 'node:timers/promises';
import { importStatusSchema, type ImportStatus } from '../../../model/import.ts';
import type { ApiClient } from '../../../client/waypoints/node/api-client.ts';
import { progressBar } from '../../terminal/progress-bar.ts';

const pollMs = 200;
const format =
  'Importing [{bar}] {percentage}% | {files} files | {points} points | {eta_formatted}';

/**
 * Shows a progress bar on standard error while an import runs, if that is a terminal.
 * @returns stops and removes the bar.
 */
export function showProgress(client: ApiClient): () => Promise<void> {
  if (!process.stderr.isTTY) return () => Promise.resolve();
  const stopped = new AbortController();
  const shown = poll(client, stopped.signal);
  return async () => {
    stopped.abort();
    // The bar only tells of the import, and the import's own answer tells whether it went well.
    await shown.catch(() => undefined);
  };
}

async function poll(client: ApiClient, stopped: AbortSignal): Promise<void> {
  const bar = await progressBar(format);
  try {
    while (!stopped.aborted) {
      const status = await client.ask(importStatusSchema, 'GET', '/api/import');
      if (status.state === 'running' && status.files_total > 0) {
        bar.show(...doneOf(status), {
          files: `${shown(status.files_done)}/${shown(status.files_total)}`,
          points: shown(status.observations),
        });
      }
      await delay(pollMs, undefined, { signal: stopped });
    }
  } finally {
    bar.hide();
  }
}

/** How much is done, of how much. Bytes tell more than files: one long recording may be most of the work. */
function doneOf(status: ImportStatus): [done: number, total: number] {
  const { bytes_done, bytes_total, files_done, files_total } = status;
  return bytes_total > 0 ? [bytes_done, bytes_total] : [files_done, files_total];
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
