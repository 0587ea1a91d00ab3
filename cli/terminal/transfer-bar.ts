import { progressBar } from './progress-bar.ts';

export interface TransferBar {
  /** @param bytes that are there; @param title in place of the first one */
  readonly show: (bytes: number, title?: string) => void;
  readonly hide: () => void;
}

/** A bar for one transfer of so many bytes. */
export async function showTransfer(title: string, size: number): Promise<TransferBar> {
  const bar = await progressBar(
    '{title} [{bar}] {percentage}% | {done} of {all} MB | {eta_formatted}',
  );
  function show(bytes: number, newTitle = title): void {
    bar.show(bytes, Math.max(1, size), { title: newTitle, done: inMb(bytes), all: inMb(size) });
  }
  show(0);
  return { show, hide: bar.hide };
}

/** A line that counts bytes where their sum is not known. */
export async function showBytes(verb: string): Promise<TransferBar> {
  const bar = await progressBar(`${verb} {done} MB`);
  return { show: (bytes) => bar.show(0, 1, { done: inMb(bytes) }), hide: bar.hide };
}

function inMb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
