import { errorCode } from '../model/error-code.ts';
import { createPrivateDirectory } from './paths.ts';

/** Exit codes that a service manager treats as final (contract A): restarting would not help. */
export type RefusalExitCode = 64 | 65 | 74 | 75 | 78;

/** Thrown when the daemon cannot start for a reason its user can act on; `sentence` says which, on one line. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly exitCode: RefusalExitCode;
  readonly sentence: string;

  constructor(exitCode: RefusalExitCode, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.exitCode = exitCode;
    this.sentence = sentence;
  }
}

/** The cause of a refusal with 75: a daemon, and not just a command, holds the data directory. */
export class HeldByDaemon extends Error {
  override readonly name = 'HeldByDaemon';
}

/**
 * Creates a private directory that a setting names, or finds it there.
 * @throws StartRefused 78 when it cannot be made.
 */
export function requirePrivateDirectory(directory: string, flag: string): void {
  try {
    createPrivateDirectory(directory);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new StartRefused(
      78,
      `The directory ${directory} cannot be made (${code}); choose another with ${flag}.`,
      error,
    );
  }
}
