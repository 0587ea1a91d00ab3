import { setTimeout as delay } from 'node:timers/promises';
import { importStatusSchema, type ImportStatus } from '../../../model/import.ts';
import type { ApiClient } from '../../../client/waypoints/node/api-client.ts';

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
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    // Ctrl-C is the import's: it stops after the file in progress.
    gracefulExit: false,
    etaBuffer: 50,
    barsize: 28,
  });
  let isShown = false;
  try {
    while (!stopped.aborted) {
      const status = await client.ask(importStatusSchema, 'GET', '/api/import');
      if (status.state === 'running' && status.files_total > 0) {
        if (isShown) bar.setTotal(totalOf(status));
        else bar.start(totalOf(status), 0, payload(status));
        isShown = true;
        bar.update(doneOf(status), payload(status));
      }
      await delay(pollMs, undefined, { signal: stopped });
    }
  } finally {
    if (isShown) bar.stop();
  }
}

/** Bytes tell more than files: one long recording may be most of the work. */
function totalOf({ bytes_total, files_total }: ImportStatus): number {
  return bytes_total > 0 ? bytes_total : files_total;
}

function doneOf({ bytes_total, bytes_done, files_done }: ImportStatus): number {
  return bytes_total > 0 ? bytes_done : files_done;
}

function payload({ files_done, files_total, observations }: ImportStatus) {
  return {
    files: `${files_done.toLocaleString('en-US')}/${files_total.toLocaleString('en-US')}`,
    points: observations.toLocaleString('en-US'),
  };
}
