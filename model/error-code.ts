/** The code word of an error of the file system, of the network or of SQLite, such as `ENOENT`; undefined for others. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? (unnamedCodes[error.code] ?? error.code) : undefined;
}

/** What Node.js knows by its number only, on Linux and on macOS: the user's quota of the disk is used up. */
const unnamedCodes: Readonly<Record<string, string>> = {
  'Unknown system error -122': 'EDQUOT',
  'Unknown system error -69': 'EDQUOT',
};

/** Gives an error that came from a worker the code that it had there: of its own properties only the cause gets across. */
export function restoreCode(error: unknown): unknown {
  if (!(error instanceof Error) || typeof error.cause !== 'string') return error;
  return Object.assign(error, { code: error.cause });
}
