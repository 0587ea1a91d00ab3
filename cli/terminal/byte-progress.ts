const everyMs = 200;

/** One line on a terminal's standard error that counts bytes; nothing anywhere else. */
export function showBytes(verb: string): { show: (bytes: number) => void; hide: () => void } {
  const { stderr } = process;
  let shownAt = -everyMs;
  let isShown = false;
  return {
    show(bytes) {
      const now = performance.now();
      if (!stderr.isTTY || now - shownAt < everyMs) return;
      shownAt = now;
      isShown = true;
      stderr.write(`\r\u001B[K${verb} ${(bytes / 1e6).toFixed(1)} MB`);
    },
    hide() {
      if (isShown) stderr.write('\r\u001B[K');
    },
  };
}
