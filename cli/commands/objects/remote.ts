import type { CredentialSource, ObjectClient } from '../../../client/objects/index.ts';
import { isLoopbackHost } from '../../../model/listen-address.ts';
import { splitCommand } from '../../../model/command-words.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { endBySignal, watchSignals } from '../../terminal/interrupts.ts';
import { forTerminal } from '../../terminal/text.ts';
import { note } from '../../terminal/output.ts';
import { readPassword } from './password.ts';

/** Options of every command that speaks to an object server. */
export const remoteOptions = {
  '--repo <url>': {
    help: 'URL of the repository: https://host/OWNER/NAME',
    isRequired: true,
  },
  '--user <name>': 'log in as this user; the password is asked for',
  '--password-stdin': 'read the password from standard input',
  '--login <command>': 'a login command: "ssh git@host x-lfs-authenticate OWNER/NAME"',
} as const;

/** Stands at the end of the help of every command with {@link remoteOptions}. */
export const remoteNotes =
  'Without --user and --login, git is asked for credentials if the server wants some.';

/** The values of {@link remoteOptions}. */
export interface RemoteOptions {
  readonly repo: string;
  readonly user?: string | undefined;
  readonly passwordStdin?: boolean;
  readonly login?: string | undefined;
}

/**
 * Uses a client until it is done or Ctrl-C.
 * @throws ExitError with what the server or the network objects to, or the file system.
 */
export async function withClient<T>(
  options: RemoteOptions,
  use: (client: ObjectClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = await openClient(options);
  const stop = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const stopWatching = watchSignals((signal, isFirst) => {
    if (!isFirst) endBySignal(signal);
    stoppedBy = signal;
    stop.abort();
  });
  try {
    return await use(client, stop.signal);
  } catch (error) {
    if (stoppedBy !== undefined) endBySignal(stoppedBy);
    throw await explain(error);
  } finally {
    stopWatching();
  }
}

async function explain(error: unknown): Promise<unknown> {
  const { ObjectClientError } = await import('../../../client/objects/index.ts');
  if (error instanceof ObjectClientError) {
    const { message, documentationUrl, requestId } = error;
    const lines = [
      message,
      ...(documentationUrl === undefined ? [] : [`See ${documentationUrl}`]),
      ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
    ];
    return new ExitError(lines.map(forTerminal).join('\n'), 1, error);
  }
  const isOfFiles = error instanceof Error && 'code' in error && 'path' in error;
  if (!isOfFiles) return error;
  const [code, path] = [String(error.code), forTerminal(String(error.path))];
  return new ExitError(`${path} cannot be read or written (${code}).`, 1, error);
}

/** Opens a client of the repository that the options name. */
async function openClient(options: RemoteOptions): Promise<ObjectClient> {
  const url = URL.canParse(options.repo) ? new URL(options.repo) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.username !== '') {
    throw usageError('--repo is the URL of a repository, such as https://host/OWNER/NAME');
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    note('Without https, passwords and files can be read on the way.');
  }
  const { ObjectClient: Client } = await import('../../../client/objects/index.ts');
  return new Client({ baseUrl: options.repo, credentials: await credentials(options) });
}

async function credentials({
  user,
  passwordStdin,
  login,
}: RemoteOptions): Promise<CredentialSource> {
  const sources = await import('../../../client/objects/index.ts');
  if (login !== undefined) {
    const command = splitCommand(login);
    if (command === undefined) throw usageError('--login is a command with its arguments.');
    return sources.commandCredentials(command);
  }
  if (user === undefined && passwordStdin === true) {
    throw usageError('--password-stdin is the password of a --user.');
  }
  if (user === undefined) return sources.gitCredentials();
  return sources.passwordCredentials(user, await readPassword(passwordStdin === true));
}
