import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { oidSchema, repositoryPart, userName } from '../../../model/objects.ts';
import type { RepositoryRow, UserRow } from '../../../storage/objects/directory.ts';
import type { CommandContext } from '../../program/context.ts';
import { forTerminal } from '../../terminal/text.ts';
import { objectsContext } from './objects-context.ts';
import type { ObjectsRoot } from '../../../objects/root.ts';

/** Options that every command of an object store's upkeep has. */
export const rootOptions = {
  '--root <dir>': 'the directory of the store, as --objects-root',
  '--json': 'print JSON',
} as const;

/** The call of a command with {@link rootOptions}. */
interface RootCall {
  readonly context: CommandContext;
  readonly options: { readonly root: string | undefined };
}

/**
 * Does something with an object store; a server may be running on it.
 * @param mayCreate whether a store is made where there is none.
 * @throws ExitError
 */
export async function withRoot<T>(
  { context, options: { root } }: RootCall,
  use: (root: ObjectsRoot) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  const { paths } = objectsContext(context, { root });
  if (!mayCreate && !existsSync(join(paths.objects, 'objects.sqlite'))) {
    throw new ExitError(
      `There is no object store in ${forTerminal(paths.objects)}; "objects repo add" makes one.`,
    );
  }
  const { openRoot } = await import('../../../objects/root.ts');
  const { storeRefusal } = await import('../../../daemon/objects/store-refusal.ts');
  const opened = await openRoot(paths.objects, { owner: 'command' }).catch((error: unknown) => {
    throw storeRefusal(error);
  });
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
  const [owner, name, ...more] = path.split('/');
  const isRight =
    more.length === 0 &&
    repositoryPart.safeParse(owner).success &&
    repositoryPart.safeParse(name).success;
  if (!isRight || owner === undefined || name === undefined) {
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

/** @throws ExitError when there is none. */
export async function requireRepository(
  { directory }: ObjectsRoot,
  path: string,
): Promise<RepositoryRow> {
  splitRepository(path);
  const found = await directory.findRepository(path);
  if (found === undefined) throw new ExitError(`There is no repository ${path}.`);
  return found;
}

/** @throws ExitError when there is none. */
export async function requireUser({ directory }: ObjectsRoot, name: string): Promise<UserRow> {
  const found = await directory.findUser(checkUserName(name));
  if (found === undefined) throw new ExitError(`There is no user ${name}.`);
  return found;
}
