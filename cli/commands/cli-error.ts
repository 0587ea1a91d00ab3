import { ExitError } from '../../model/exit-error.ts';

export { ExitError as CliError };

/** A mistake in how the command was called: exit code 64. */
export function usageError(message: string): ExitError {
  return new ExitError(message, 64);
}
