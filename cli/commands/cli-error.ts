/** The exit codes of contract A, and 1 for a command that could not do what it was asked. */
export type ExitCode = 1 | 64 | 65 | 74 | 75 | 78;

/** Ends a command with a sentence for its user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** A mistake in how the command was called: exit code 64. */
export function usageError(message: string): CliError {
  return new CliError(message, 64);
}
