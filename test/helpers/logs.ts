import type { Log } from '../../model/process.ts';

const silent = (): void => {};

/** Logs for tests that look at no line of it. */
export const silentLog: Log = { debug: silent, info: silent, warn: silent, error: silent };

/** Notes the event and details of each line. */
export function recordingLog(lines: string[]): Log {
  const line = (event: string, details = {}): void => {
    lines.push(`${event} ${JSON.stringify(details)}`);
  };
  return { debug: line, info: line, warn: line, error: line };
}
