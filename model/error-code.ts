/** The code word of an error of the file system, of the network or of SQLite, such as `ENOENT`; undefined for others. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
