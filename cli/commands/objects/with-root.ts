import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { computePaths } from '../../../daemon/paths.ts';
import { checkSetting, findSettingKey } from '../../../daemon/settings.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { oidSchema, repositoryPart, userName } from '../../../model/objects.ts';
import type { SettingKey, Settings } from '../../../model/settings.ts';
import type { ObjectsRoot } from '../../../objects/root.ts';
import type { RepositoryRow, UserRow } from '../../../storage/objects/directory.ts';
import type { CommandContext } from '../../program/context.ts';
import { forTerminal } from '../../terminal/text.ts';

/** Options that every command of an object store's upkeep has. */
export const rootOptions = {
  '--root <dir>': 'the directory of the store, as --objects-root',
} as const;

interface RootCall {
  readonly context: CommandContext;
  readonly options: { readonly root: string | undefined };
  /** Creates a missing store. */
  readonly mayCreate?: true;
}

/**
 * Does something with an object store; a server may be running on it.
 * @throws ExitError
 */
export async function withRoot<T>(
  { context, options: { root }, mayCreate }: RootCall,
  use: (root: ObjectsRoot) => Promise<T>,
): Promise<T> {
  const { settings, paths } = objectsContext(context, { root });
  const { storePlaces } = await import('../../../daemon/objects/store-places.ts');
  const places = storePlaces(settings);
  const isElsewhere = places.database !== undefined;
  if (!isElsewhere && mayCreate !== true && !existsSync(join(paths.objects, 'objects.sqlite'))) {
    throw new ExitError(
      `There is no object store in ${forTerminal(paths.objects)}; "objects repo add" makes one.`,
    );
  }
  const { openRoot } = await import('../../../objects/root.ts');
  const { storeRefusal } = await import('../../../daemon/objects/store-refusal.ts');
  const opened = await openRoot(paths.objects, { ...places, owner: 'command' }).catch(
    (error: unknown) => {
      throw storeRefusal(error);
    },
  );
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** @throws ExitError for a name that no user can have. */
export function checkUserName(name: string): string {
  if (userName.safeParse(name).success) return name;
  throw usageError(
    'A user name has up to 64 letters, digits and . _ @ - and begins with a letter or digit.',
  );
}

/** @throws ExitError for what is no `OWNER/NAME`. */
export function splitRepository(path: string): { owner: string; name: string } {
  const parts = path.split('/');
  const [owner = '', name = ''] = parts;
  if (parts.length !== 2 || !parts.every((part) => repositoryPart.safeParse(part).success)) {
    throw usageError(
      'A repository is OWNER/NAME, both of letters, digits and . _ - beginning with a letter or digit.',
    );
  }
  return { owner, name };
}

/** @throws ExitError for what is no oid. */
export function checkOid(text: string): string {
  if (oidSchema.safeParse(text).success) return text;
  throw usageError('An oid has 64 lower-case hexadecimal digits.');
}

/** @throws ExitError for an unknown repository. */
export async function requireRepository(
  { directory }: ObjectsRoot,
  path: string,
): Promise<RepositoryRow> {
  splitRepository(path);
  const found = await directory.findRepository(path);
  if (found === undefined) throw new ExitError(`There is no repository ${path}.`);
  return found;
}

/** @throws ExitError for an unknown user. */
export async function requireUser({ directory }: ObjectsRoot, name: string): Promise<UserRow> {
  const found = await directory.findUser(checkUserName(name));
  if (found === undefined) throw new ExitError(`There is no user ${name}.`);
  return found;
}

export type ObjectsContext = ReturnType<typeof objectsContext>;

/**
 * The settings of a command's call with its own flags: `--listen` is short for `--objects-listen`.
 * @param given flags that are all short for a setting of the object server.
 * @throws ExitError
 */
export function objectsContext(
  { resolved, paths }: CommandContext,
  given: Readonly<Record<string, string | boolean | undefined>>,
) {
  const changes: Partial<Record<SettingKey, unknown>> = {};
  for (const [name, value] of Object.entries(given)) {
    // A switch that was not given is what it is when left out: false, and true for --no-….
    if (value === undefined || value === (name === 'batch')) continue;
    const flag = name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
    const key = findSettingKey(`objects-${flag}`);
    if (key === undefined) throw new Error('Each short flag has its setting.');
    const origin = { from: `--${flag}`, base: process.cwd(), exitCode: 64 } as const;
    changes[key] = checkSetting(key, value, origin);
  }
  // Sound: every change was checked against the schema of its key.
  const settings = { ...resolved.settings, ...changes } as Settings;
  return { settings, paths: computePaths(settings, { configFile: paths.configFile }) };
}
