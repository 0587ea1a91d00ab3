import { constants } from 'node:os';
import { limits } from '../../model/limits.ts';
import type { Log } from '../../model/process.ts';

/** The signals that ask a process to end; SIGBREAK and, when the window is closed, SIGHUP exist on Windows. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;

/**
 * Watches the signals that ask to end, until what it gives is disposed of.
 * @param onSignal told whether it is the first.
 */
export function watchSignals(
  onSignal: (signal: NodeJS.Signals, isFirst: boolean) => void,
): Disposable {
  let isFirst = true;
  function listener(signal: NodeJS.Signals): void {
    const wasFirst = isFirst;
    isFirst = false;
    onSignal(signal, wasFirst);
  }
  for (const signal of signals) process.on(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}

/** Ends the process at once, with the exit code that shells give a process ended by this signal. */
export function endBySignal(signal: NodeJS.Signals): never {
  process.exit(128 + constants.signals[signal]);
}

/** Has a command that was asked to stop end with the exit code of a process ended by that signal. */
export function endAsStopped({ reason }: AbortSignal): void {
  process.exitCode = 128 + constants.signals[reason as NodeJS.Signals];
}

/** npm repeats the Ctrl-C that a terminal has already sent, ms. */
const echoMs = 400;

/** Watches for the first signal that asks to end; a second one ends the process at once, but for an echo of the first. */
export function watchForEnd() {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const stopped = new AbortController();
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  const watching = watchSignals((signal) => {
    if (first === undefined) first = { signal, at: performance.now() };
    else if (first.signal !== signal || performance.now() - first.at >= echoMs) endBySignal(signal);
    stopped.abort();
    resolve();
  });
  return { asked, signal: stopped.signal, ...watching };
}

/**
 * Ends the process if its stop in order does not. A thread in a file system that does not answer can neither be waited
 * for nor ended: `process.exit` joins it.
 */
export function endInAnyCase(log: Log): void {
  setTimeout(() => {
    log.error('daemon.stop_timeout');
    process.kill(process.pid, 'SIGKILL');
  }, limits.stopMs).unref();
}
