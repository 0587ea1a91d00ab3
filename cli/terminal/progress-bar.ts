export interface ProgressBar {
  /** @param values of the other names in the format */
  readonly show: (done: number, total: number, values?: Readonly<Record<string, string>>) => void;
  readonly hide: () => void;
}

/**
 * A line on a terminal's standard error that appears when it is first shown; nothing anywhere else.
 * @param format of cli-progress: `{bar}`, `{percentage}`, `{eta_formatted}` and names of the caller's.
 */
export async function progressBar(format: string): Promise<ProgressBar> {
  if (!process.stderr.isTTY) return { show: () => undefined, hide: () => undefined };
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    // Ctrl-C is the command's.
    gracefulExit: false,
    etaBuffer: 50,
    barsize: 28,
    // Before the first step it is a word, which the library would pad.
    formatTime: (left, options, by) =>
      Number.isFinite(left) ? progress.Format.TimeFormat(left, options, by) : '…',
  });
  let isShown = false;
  return {
    show(done, total, values = {}) {
      if (isShown) bar.setTotal(total);
      else bar.start(total, done, values);
      isShown = true;
      bar.update(done, values);
    },
    hide() {
      if (isShown) bar.stop();
      isShown = false;
    },
  };
}

/**
 * Shows a bar for a transfer of so many bytes, for as long as it takes.
 * @param transfer is given what shows the bytes that are there, and a title in place of the first one; and what makes way for
 * a line of output
 */
export async function withTransferBar<T>(
  title: string,
  size: number,
  transfer: (show: (bytes: number, title?: string) => void, hide: () => void) => Promise<T>,
): Promise<T> {
  const bar = await progressBar(
    '{title} [{bar}] {percentage}% | {done} of {all} MB | {eta_formatted}',
  );
  function show(bytes: number, newTitle = title): void {
    bar.show(bytes, Math.max(1, size), { title: newTitle, done: inMb(bytes), all: inMb(size) });
  }
  show(0);
  return transfer(show, bar.hide).finally(bar.hide);
}

/** Counts the bytes that a piece of work has been through, where their sum is not known. */
export async function withByteCount<T>(
  verb: string,
  work: (show: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  const bar = await progressBar(`${verb} {done} MB`);
  return work((bytes) => bar.show(0, 1, { done: inMb(bytes) })).finally(bar.hide);
}

function inMb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
