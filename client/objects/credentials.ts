import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { authenticateAnswerSchema, type Operation } from '../../model/objects.ts';
import { parseJson } from '../../model/parse-json.ts';
import { ObjectClientError } from './object-error.ts';
import type { RequestHeaders } from './request.ts';

/** Limits of a login command or a credential helper: time, ms, and output, bytes. */
const commandMs = 60_000;
const outputBytes = 65_536;

/** The operation that the headers allow. */
export interface CredentialRequest {
  readonly url: URL;
  readonly operation: Operation;
  readonly oid: string;
  /** The server has refused a request without credentials: from now on a source may ask the user. */
  readonly isAsked: boolean;
}

/** Finds the headers that let a request in, none where there are none. Called for every request. */
export type CredentialSource = (request: CredentialRequest) => Promise<RequestHeaders | undefined>;

export function passwordCredentials(user: string, password: string): CredentialSource {
  const headers = basic(user, password);
  return async () => headers;
}

function basic(user: string, password: string): RequestHeaders {
  const value = Buffer.from(`${user}:${password}`).toString('base64');
  return { authorization: `Basic ${value}` };
}

/**
 * Runs a login command such as `ssh git@host x-lfs-authenticate OWNER/NAME`, with the operation and the oid added, for the
 * headers it prints. They are not kept.
 */
export function commandCredentials(command: readonly [string, ...string[]]): CredentialSource {
  return async ({ operation, oid }) => {
    const [program, ...words] = command;
    const { code, output, errors } = await run(program, [...words, operation, oid], '');
    if (code !== 0) {
      throw new ObjectClientError('http', errors.trim() || 'The login command failed.', {
        status: 401,
      });
    }
    const parsed = authenticateAnswerSchema.safeParse(parseJson(output));
    if (!parsed.success) {
      throw new ObjectClientError('protocol', 'The login command printed no headers.');
    }
    return lowerCased(parsed.data.header);
  };
}

/**
 * Asks git's credential helpers, which may ask the user: only once the server wants to know, and once for each server. Answers
 * nothing where git has nothing.
 */
export function gitCredentials(): CredentialSource {
  const known = new Map<string, Promise<RequestHeaders | undefined>>();
  return async ({ url, isAsked }) => {
    if (!isAsked) return undefined;
    const found = known.get(url.origin) ?? askGit(url);
    known.set(url.origin, found);
    return found;
  };
}

async function askGit({ protocol, host }: URL): Promise<RequestHeaders | undefined> {
  const question = `protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`;
  const nothing = { code: 1, output: '' };
  const { code, output } = await run('git', ['credential', 'fill'], question).catch(() => nothing);
  const user = /^username=(.*)$/mu.exec(output)?.[1];
  const password = /^password=(.*)$/mu.exec(output)?.[1];
  if (code !== 0 || user === undefined || password === undefined) return undefined;
  return basic(user, password);
}

/** The first source that has something. */
export function firstOf(...sources: readonly CredentialSource[]): CredentialSource {
  return async (request) => {
    for (const source of sources) {
      const headers = await source(request);
      if (headers !== undefined) return headers;
    }
    return undefined;
  };
}

export function lowerCased(headers: Readonly<Record<string, string>>): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const execute = promisify(execFile);

/** @returns what it printed; no exit code when it had to be ended. */
async function run(program: string, words: readonly string[], input: string) {
  try {
    const limits = { timeout: commandMs, maxBuffer: outputBytes };
    const running = execute(program, words, limits);
    // A program that does not read its input is no failure.
    running.child.stdin?.on('error', () => undefined).end(input);
    return { code: 0, output: (await running).stdout, errors: '' };
  } catch (cause) {
    const { code, stderr = '' } = cause as { readonly code?: unknown; readonly stderr?: string };
    const hasRun = typeof code !== 'string' || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    if (hasRun) return { code: Number(code) || undefined, output: '', errors: stderr };
    throw new ObjectClientError('unreachable', 'The login command cannot be run.', { cause });
  }
}
