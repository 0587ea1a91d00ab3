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
