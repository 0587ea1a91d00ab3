/**
 * The code word of an error of the file system, of the network or of SQLite, such as `ENOENT`; undefined for others. Of an
 * error that comes from a worker only the cause gets across, which is the code.
 */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!('code' in error)) return typeof error.cause === 'string' ? error.cause : undefined;
  if ('errno' in error && isNameless.test(String(error.code)) && quotaNumbers.has(error.errno))
    return 'EDQUOT';
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Names that Node.js gives to errors which it knows by number only. */
const isNameless = /^(?:UNKNOWN$|Unknown system error)/u;
/** The user's quota of the disk is used up: on Linux, on macOS. */
const quotaNumbers: ReadonlySet<unknown> = new Set([-122, -69]);

/**
 * Tells whether an error of the file system or of SQLite says that a file cannot be used as things are (permissions,
 * locks, the disk), and nothing about what is in it.
 */
export function isOutOfReach(error: unknown): boolean {
  return outOfReach.test(errorCode(error) ?? '');
}

const outOfReach = /^(?:E[A-Z]+|SQLITE_(?:BUSY|CANTOPEN|IOERR|LOCKED|PERM|PROTOCOL|READONLY)\w*)$/;
