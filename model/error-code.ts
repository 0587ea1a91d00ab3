/** The code word of an error of the file system, of the network or of SQLite, such as `ENOENT`; undefined for others. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Gives an error that came from a worker the code that it had there: of its own properties only the cause gets across. */
export function restoreCode(error: unknown): unknown {
  if (!(error instanceof Error) || typeof error.cause !== 'string') return error;
  return Object.assign(error, { code: error.cause });
}
