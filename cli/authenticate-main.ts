import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clientBaseUrl, isReachable, storePlaces } from '../daemon/objects/store-places.ts';
import { computePaths, defaultConfigFile } from '../daemon/paths.ts';
import { resolveSettings } from '../daemon/settings.ts';
import { splitCommand } from '../model/command-words.ts';
import { ExitError } from '../model/exit-error.ts';
import { authenticate, NotAuthenticated } from '../objects/authenticate.ts';
import { openRows } from '../objects/root.ts';
import { objectsDirectory } from '../storage/objects/directory.ts';

const programs = new Set(['git-lfs-authenticate', 'x-lfs-authenticate']);

/**
 * `x-lfs-authenticate [--root DIR] [--config FILE] [--user USER] PATH OPERATION [OID]`, as a login command or, with the request in
 * SSH_ORIGINAL_COMMAND, as a forced one. Answers from the store itself; no server need be running.
 * @returns the JSON that the client reads.
 * @throws NotAuthenticated with the sentence that the client shows.
 */
async function authenticateCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { root, config, user, path, operation } = readCall(words, env);
  const configFile = config ?? defaultConfigFile();
  const flags = root === undefined ? {} : { objects_root: root };
  const { settings } = resolveSettings({ flags, env, configFile, cwd: process.cwd() });
  const directory = computePaths(settings, { configFile }).objects;
  const places = storePlaces(settings);
  if (places.database === undefined && !existsSync(join(directory, 'objects.sqlite'))) {
    throw new NotAuthenticated('There is no object store on this machine.');
  }
  const database = await openRows(directory, { ...places, owner: 'command' }, async () => false);
  try {
    const users = objectsDirectory(database.rows);
    const request = { user, path, operation, now: Date.now() };
    const { repository, ...answer } = await authenticate(users, await database.secret(), request);
    // Clients then try what they make of the ssh remote.
    const url = await clientBaseUrl(settings, directory);
    if (!isReachable(url)) return JSON.stringify(answer);
    return JSON.stringify({ ...answer, href: `${url}/${repository}` });
  } finally {
    await database.close();
  }
}

/** Parses the command that ssh was asked to run. @throws NotAuthenticated */
function readCall(words: readonly string[], env: NodeJS.ProcessEnv) {
  const given = readWords(words);
  const forced = env['SSH_ORIGINAL_COMMAND'];
  // As a forced command its own arguments are the administrator's: the client has no say in them.
  const positionals = forced === undefined ? given.positionals : readForced(forced);
  const [path, operation, , ...more] = positionals;
  if (path === undefined || operation === undefined || more.length > 0) {
    throw new NotAuthenticated('usage: x-lfs-authenticate PATH OPERATION [OID]');
  }
  const user = given.user ?? userInfo().username;
  return { root: given.root, config: given.config, user, path, operation };
}

function readWords(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { root: { type: 'string' }, config: { type: 'string' }, user: { type: 'string' } },
      allowPositionals: true,
    });
    return { ...values, positionals };
  } catch {
    throw new NotAuthenticated(
      'usage: x-lfs-authenticate [--root DIR] [--config FILE] [--user USER] PATH OPERATION [OID]',
    );
  }
}

function readForced(command: string): string[] {
  const [program = '', ...words] = splitCommand(command) ?? [];
  if (programs.has(program)) return words;
  throw new NotAuthenticated('This key is for git-lfs-authenticate only.');
}

// Nothing but the one JSON object may reach standard output: the client reads all of it.
void authenticateCommand(process.argv.slice(2), process.env).then(
  (answer) => process.stdout.write(`${answer}\n`),
  (error: unknown) => {
    const isForClient = error instanceof NotAuthenticated || error instanceof ExitError;
    process.stderr.write(`${isForClient ? error.message : 'The login failed on the server.'}\n`);
    process.exitCode = 1;
  },
);
