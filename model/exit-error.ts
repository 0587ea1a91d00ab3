/** The exit codes of contract A, and 1 for a command that could not do what it was asked. */
export type ExitCode = 1 | 64 | 65 | 74 | 75 | 78;

/** Ends a start or a command; its message is a sentence for the user. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** A mistake in how a command was called: exit code 64. */
export function usageError(message: string): ExitError {
  return new ExitError(message, 64);
}
