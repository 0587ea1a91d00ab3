export interface TransferBar {
  /** @param bytes that are there; @param title in place of the one before */
  readonly show: (bytes: number, title?: string) => void;
  readonly hide: () => void;
}

/** A bar for one transfer on a terminal's standard error; nothing anywhere else. */
export async function showTransfer(title: string, size: number): Promise<TransferBar> {
  if (!process.stderr.isTTY) return { show: () => undefined, hide: () => undefined };
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format: '{title} [{bar}] {percentage}% | {done} of {all} MB | {eta_formatted}',
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    // Ctrl-C is the command's.
    gracefulExit: false,
    barsize: 28,
  });
  const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  bar.start(Math.max(1, size), 0, { title, done: '0.0', all: inMegabytes(size) });
  return {
    show: (bytes, newTitle) =>
      bar.update(bytes, {
        done: inMegabytes(bytes),
        ...(newTitle !== undefined && { title: newTitle }),
      }),
    hide: () => bar.stop(),
  };
}
