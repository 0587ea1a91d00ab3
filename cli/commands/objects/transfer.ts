import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type {
  CredentialSource,
  ObjectClient,
  ObjectClientError,
} from '../../../client/objects/index.ts';
import { splitCommand } from '../../../model/command-words.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { isLoopbackHost } from '../../../model/listen-address.ts';
import { defineCommand, type OptionValues } from '../../program/command.ts';
import { endBySignal, watchSignals } from '../../terminal/interrupts.ts';
import { note, printLines } from '../../terminal/output.ts';
import { withTransferBar } from '../../terminal/progress-bar.ts';
import { forTerminal, megabytes } from '../../terminal/text.ts';
import { readPassword } from './password.ts';
import { pushAll } from './push.ts';
import { checkOid } from './with-root.ts';

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

type RemoteOptions = OptionValues<typeof remoteOptions>;

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
  using _signals = watchSignals((signal, isFirst) => {
    if (!isFirst) endBySignal(signal);
    stoppedBy = signal;
    stop.abort();
  });
  try {
    return await use(client, stop.signal);
  } catch (error) {
    if (stoppedBy !== undefined) endBySignal(stoppedBy);
    throw await explain(error);
  }
}

async function explain(error: unknown): Promise<unknown> {
  const { ObjectClientError } = await import('../../../client/objects/index.ts');
  if (error instanceof ObjectClientError) return new ExitError(reasonOf(error), 1, error);
  const isOfFiles = error instanceof Error && 'code' in error && 'path' in error;
  if (!isOfFiles) return error;
  const [code, path] = [String(error.code), forTerminal(String(error.path))];
  return new ExitError(`${path} cannot be read or written (${code}).`, 1, error);
}

/** The server's message, its documentation link, and the request id for its administrator. */
function reasonOf({ message, documentationUrl, requestId }: ObjectClientError): string {
  const lines = [
    message,
    ...(documentationUrl === undefined ? [] : [`See ${documentationUrl}`]),
    ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
  ];
  return lines.map(forTerminal).join('\n');
}

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
  if (user === undefined && passwordStdin) {
    throw usageError('--password-stdin is the password of a --user.');
  }
  if (user === undefined) return sources.gitCredentials();
  return sources.passwordCredentials(user, await readPassword(passwordStdin));
}

const push = defineCommand({
  name: 'push',
  group: 'Files of a server:',
  summary: 'send files to a repository',
  description:
    'Sends files to a repository of an object server, four at a time, and prints the oid of each. What it holds already is not sent again: a push that was stopped goes on when it is repeated.',
  arguments: '<file...>',
  options: remoteOptions,
  notes: remoteNotes,
  run({ words: [files], options, isJson }) {
    const wrong = files.find((file) => !isFile(file));
    if (wrong !== undefined) {
      throw new ExitError(`There is no file ${forTerminal(wrong)}. Nothing was sent.`);
    }
    return withClient(options, (client, signal) =>
      pushAll(client, files, signal, async ({ oid, file, sent }) => {
        if (!isJson) await printLines(`${oid}  ${file}${sent ? '' : '  (was there)'}`);
      }),
    );
  },
  // Each file is printed when it is complete.
  show: () => undefined,
});

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const pull = defineCommand({
  name: 'pull',
  summary: 'fetch an object',
  description:
    'Fetches an object into a file, checked by its hash. What was fetched before a break is kept in FILE.part, and the next pull goes on from there.',
  arguments: '<oid>',
  options: { ...remoteOptions, '-o, --output <file>': 'where to; the oid by default' },
  notes: remoteNotes,
  async run({ words: [text], options }) {
    const oid = checkOid(text);
    const file = resolve(options.output ?? oid);
    if (existsSync(file)) throw usageError(`${forTerminal(file)} is there already.`);
    return withClient(options, async (client, signal) => {
      const object = await client.locate(oid, { signal });
      await withTransferBar(oid.slice(0, 8), object.size, (onProgress) =>
        client.download(object, file, { signal, onProgress }),
      );
      return { oid, size: object.size, file };
    });
  },
  show: ({ size, file }) => `Fetched ${megabytes(size)} into ${file}`,
});

const verify = defineCommand({
  name: 'verify',
  summary: 'ask whether a repository holds an object',
  description:
    'Asks whether a repository holds an object. The exit code is 1 when it does not, or does not for you.',
  arguments: '<oid>',
  options: remoteOptions,
  notes: remoteNotes,
  async run({ words: [text], options }) {
    const oid = checkOid(text);
    const { ObjectClientError: ClientError } = await import('../../../client/objects/index.ts');
    return withClient(options, async (client, signal) => {
      try {
        return { oid, size: (await client.locate(oid, { signal })).size };
      } catch (error) {
        if (!(error instanceof ClientError) || error.status !== 404) throw error;
        return { oid, reason: reasonOf(error) };
      }
    });
  },
  isFailure: ({ reason }) => reason !== undefined,
  json: ({ oid, reason }) => ({ oid, held: reason === undefined }),
  show: ({ oid, size = 0, reason }) =>
    reason === undefined ? `${oid}  ${megabytes(size)}` : note(reason),
});

export const transferCommands = [push, pull, verify];
