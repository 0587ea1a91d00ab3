/** What is shown of work that goes on. */
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
