import { execFile } from 'node:child_process';
import type { Log } from '../../model/process.ts';
import { programEnvironment } from '../program-environment.ts';

/** Reports that systemd has asked this process for. */
export interface NotifyRequest {
  /** Path or abstract name of the manager's socket. */
  readonly socket: string;
  /** How long the manager waits between two signs of life, ms; undefined: it does not. */
  readonly watchdogMs: number | undefined;
}

/** A manager that does not take a message within so long has other worries; the next one follows. */
const sendTimeoutMs = 5_000;

/**
 * Takes what systemd asks for out of the environment, so that no child can speak in the daemon's name.
 * @returns undefined when systemd wants no reports.
 */
export function takeNotifyRequest(
  env: NodeJS.ProcessEnv,
  pid = process.pid,
): NotifyRequest | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (socket === undefined || socket === '') return undefined;
  const isWatched = watched === undefined || watched === String(pid);
  const watchdogMs = Number(usec) / 1000;
  return { socket, watchdogMs: isWatched && watchdogMs > 0 ? watchdogMs : undefined };
}

/**
 * Tells systemd how the daemon is doing (sd_notify(3)) through its own program `systemd-notify`: Node.js has no datagram sockets of the Unix kind, and
 * the packages that add them are compiled. Each message costs a few milliseconds of a child; at 30 s of watchdog there
 * are four a minute.
 */
export function createNotifier(
  { socket, watchdogMs }: NotifyRequest,
  log: Log,
  env: NodeJS.ProcessEnv = process.env,
) {
  let isFailing = false;

  async function send(...words: string[]): Promise<void> {
    const error = await run(words, { ...programEnvironment(env), NOTIFY_SOCKET: socket });
    // One line each time that it begins to fail.
    if (error !== undefined && !isFailing) log.warn('systemd.not_notified', { code: error });
    isFailing = error !== undefined;
  }

  let isSending = false;
  async function signOfLife(): Promise<void> {
    if (isSending) return;
    isSending = true;
    await send('WATCHDOG=1');
    isSending = false;
  }

  return {
    /** The daemon serves now: `systemctl start` returns, and from here on the watchdog wants to hear from it. */
    async ready(status: string): Promise<void> {
      await send('--ready', `--status=${status}`);
      // Half of the time, as sd_watchdog_enabled(3) has it. A blocked main thread sends none: that is the point.
      if (watchdogMs !== undefined) setInterval(() => void signOfLife(), watchdogMs / 2).unref();
    },
    /** The daemon has begun to stop. */
    stopping: () => send('STOPPING=1', 'STATUS=Stopping'),
  };
}

/** @returns why the message was not sent. */
function run(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('systemd-notify', [...words], { env, timeout: sendTimeoutMs }, (error) => {
      resolve(error === null ? undefined : String(error.code ?? error.signal ?? 'unknown'));
    });
  });
}
