import { fstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { pino, type DestinationStream, type Level, type StreamEntry } from 'pino';
import { attempt } from '../model/attempt.ts';
import type { Log, LogLine } from '../model/process.ts';
import type { Settings } from '../model/settings.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';

/** A log that holds a file, perhaps. */
export interface OpenLog extends Log {
  /** Writes what is still waiting and closes the log file; lines after that go to stderr only. */
  readonly close: () => Promise<void>;
}

export interface LogOptions {
  readonly level: Settings['log_level'];
  /** Also log to this file, rotated by size. */
  readonly file?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since some moment. */
  readonly now?: () => number;
}

/** The file and five older ones: 30 MB at most. */
const rotatedSize = '5M';
const rotatedFiles = 5;
/** When a disk or the reader of a pipe stands still, lines are dropped rather than piled up. */
const maxWaitingBytes = 1_048_576;

/** A file that could not be written is tried again after this long: on Windows, who reads it keeps it from being rotated. */
const retryMs = 60_000;

const notWritten = 'The log file cannot be written; the log goes to stderr only.\n';

/** The priorities of sd-daemon(3) that journald reads from the start of a line. */
const priorities: Readonly<Record<string, string>> = {
  debug: '<7>',
  info: '<6>',
  warn: '<4>',
  error: '<3>',
};

/**
 * Opens the log: one line an event on stderr, as JSON; for reading on a terminal; with priorities under systemd. While
 * its reader keeps up it is written at once, so that the last words of a process are not lost.
 */
export async function openLog(options: LogOptions): Promise<OpenLog> {
  const { level, file, env = process.env, now = () => performance.now() } = options;
  const hasFile = file !== undefined && level !== 'silent';
  const rotated = hasFile ? await openRotated(file, now) : undefined;
  const streams: StreamEntry<Level>[] = [{ level: 'debug', stream: await openStderr(env) }];
  if (rotated !== undefined) streams.push({ level: 'debug', stream: rotated.stream });
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.multistream(streams),
  );
  function line(name: Level): LogLine {
    return (event, details) =>
      details === undefined ? logger[name](event) : logger[name](details, event);
  }
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    close: async () => rotated?.close(),
  };
}

async function openStderr(env: NonNullable<LogOptions['env']>): Promise<DestinationStream> {
  if (isJournal(env)) return { write: (text) => writeStderr(withPriority(text)) };
  if (!process.stderr.isTTY) return { write: writeStderr };
  // Its names are behind `default`: the bundle finds no others in CommonJS.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({
    colorize: env['NO_COLOR'] === undefined || env['NO_COLOR'] === '',
    messageKey: 'event',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return { write: (text) => writeStderr(pretty(text)) };
}

/** The reader of stderr may be gone or stuck: neither stops the daemon, and its lines are not kept for ever. */
function writeStderr(text: string): void {
  const { destroyed, writableLength } = process.stderr;
  if (!destroyed && writableLength <= maxWaitingBytes) process.stderr.write(text);
}

/**
 * systemd.exec(5): JOURNAL_STREAM names the device and inode of the journal's socket, and a program started by a
 * service inherits the variable. The numbers tell whether stderr still is that socket.
 */
function isJournal(env: NonNullable<LogOptions['env']>): boolean {
  const stderr = attempt(() => fstatSync(2));
  return stderr !== undefined && env['JOURNAL_STREAM'] === `${stderr.dev}:${stderr.ino}`;
}

function withPriority(text: string): string {
  const level = /"level":"([a-z]+)"/u.exec(text)?.[1] ?? 'info';
  return (priorities[level] ?? priorities['info']) + text;
}

/** A file that cannot be written does not stop the daemon: its lines still go to stderr. */
async function openRotated(file: string, now: () => number) {
  const { createStream } = await import('rotating-file-stream');
  try {
    createPrivateDirectory(dirname(file));
  } catch {
    writeStderr(notWritten);
    return undefined;
  }
  let brokenAt: number | undefined;
  const open = () =>
    createStream(basename(file), {
      path: dirname(file),
      size: rotatedSize,
      rotate: rotatedFiles,
      mode: 0o600,
    }).on('error', () => {
      brokenAt = now();
      writeStderr(notWritten);
    });
  let target = open();
  return {
    stream: {
      write: (text: string) => {
        if (brokenAt !== undefined && now() - brokenAt >= retryMs) {
          brokenAt = undefined;
          target = open();
        }
        if (brokenAt !== undefined || target.writableLength > maxWaitingBytes) return;
        target.write(text);
      },
    },
    close: async () => {
      if (brokenAt !== undefined) return;
      target.end();
      await finished(target).catch(() => undefined); // The error event has told.
    },
  };
}
