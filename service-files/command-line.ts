import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** One call of another program, as data: it can be shown, inspected and run. */
export interface CommandLine {
  readonly program: string;
  readonly words: readonly string[];
  /** Whether what follows is done all the same when this fails. */
  readonly mayFail?: boolean;
  /** How often it is tried, a second apart; 1 unless given. */
  readonly tries?: number;
}

export interface CommandResult {
  /** Undefined when the program is not there, or was ended by a signal. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end and gives what it printed. */
export type Runner = (command: CommandLine) => Promise<CommandResult>;

/** A command that failed and may not. */
export interface CommandFailure {
  readonly command: CommandLine;
  readonly result: CommandResult;
}

/** Starting waits until the service is ready, which has five minutes for the upgrade of a large store. */
const timeoutMs = 330_000;
/** A query must not keep `status` waiting for a stuck service manager. */
const askTimeoutMs = 5_000;
const retryPauseMs = 1_000;
const asking = new Set(['show', 'print', '/Query', 'query', 'queryex', 'is-enabled']);

/** A runner whose commands see this environment, and speak English in universal time, so that their answers can be read. */
export function createRunner(env: NodeJS.ProcessEnv): Runner {
  const options = {
    env: { ...env, LC_ALL: 'C', TZ: 'UTC' },
    windowsHide: true,
  };
  return ({ program, words }) =>
    new Promise((resolve) => {
      const timeout = words.some((word) => asking.has(word)) ? askTimeoutMs : timeoutMs;
      execFile(program, [...words], { ...options, timeout }, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        resolve({ code: typeof code === 'number' ? code : undefined, stdout, stderr });
      });
    });
}

/**
 * Runs commands one after the other, up to the first that fails and may not.
 * @returns that one.
 */
export async function runCommands(
  commands: readonly CommandLine[],
  run: Runner,
): Promise<CommandFailure | undefined> {
  for (const command of commands) {
    let result = await run(command);
    for (let left = (command.tries ?? 1) - 1; result.code !== 0 && left > 0; left -= 1) {
      await delay(retryPauseMs);
      result = await run(command);
    }
    if (result.code !== 0 && command.mayFail !== true) return { command, result };
  }
  return undefined;
}

/** Runs a command in this terminal. @returns its exit code; undefined when it could not be started. */
export async function runHere(
  { program, words }: CommandLine,
  env: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  const child = spawn(program, [...words], { stdio: 'inherit', env });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? undefined;
  } catch {
    return undefined; // The error event: not there, or not executable.
  }
}
