import { SingleBar } from 'cli-progress';

export interface TransferBar {
  readonly show: (bytes: number) => void;
  readonly hide: () => void;
}

/** A bar for one transfer on a terminal's standard error; nothing anywhere else. */
export function showTransfer(title: string, size: number): TransferBar {
  if (!process.stderr.isTTY) return { show: () => undefined, hide: () => undefined };
  const bar = new SingleBar({
    format: `${title} {bar} {percentage} %  {done} of {all} MB  {eta_formatted}`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  });
  const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  bar.start(Math.max(1, size), 0, { done: '0.0', all: inMegabytes(size) });
  return {
    show: (bytes) => bar.update(bytes, { done: inMegabytes(bytes) }),
    hide: () => bar.stop(),
  };
}
