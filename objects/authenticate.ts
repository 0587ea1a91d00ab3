import type { Operation } from '../model/objects.ts';
import type { ObjectsDirectory } from '../storage/objects/directory.ts';
import { createTokens } from './tokens.ts';

/** Long enough for a push of many objects; clients ask again when it ends. */
const loginLifeMs = 1_800_000;

export interface Authentication {
  readonly header: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly expires_in: number;
}

/** The reason for a refused login, as a sentence that the client shows. */
export class NotAuthenticated extends Error {
  override readonly name = 'NotAuthenticated';
}

/**
 * Makes the login of a user who has come over ssh, for one repository and operation.
 * @param request its path is `OWNER/NAME`, also with a leading slash and `.git`; `now` in ms since 1970.
 * @throws NotAuthenticated
 */
export async function authenticate(
  directory: ObjectsDirectory,
  secret: Uint8Array,
  request: Readonly<Record<'user' | 'path' | 'operation', string> & { now: number }>,
): Promise<Authentication & { readonly repository: string }> {
  const { user: name, path, operation, now } = request;
  if (!isOperation(operation)) {
    // Safe to print to a terminal.
    const shown = operation.replaceAll(/[^\x20-\x7E]/gu, '?').slice(0, 64);
    throw new NotAuthenticated(`The operation "${shown}" is not known: it is upload or download.`);
  }
  const { repository, user, granted } = await directory.standing(name, normalPath(path));
  const mayRead = granted !== undefined || repository?.is_public === 1;
  if (repository === undefined || user === undefined || !mayRead) {
    throw new NotAuthenticated('There is no such repository, or you may not see it.');
  }
  // A reader gets a login for uploads, too: git-lfs lists locks with one in some versions. The server refuses what is sent with it.
  const tokens = createTokens(secret, () => now);
  const scope = { userId: user.id, repositoryId: repository.id, operation, oid: undefined };
  return {
    repository: `${repository.owner}/${repository.name}`,
    header: { Authorization: `Bearer ${tokens.make(scope, loginLifeMs)}` },
    expires_in: loginLifeMs / 1_000,
  };
}

function isOperation(text: string): text is Operation {
  return text === 'upload' || text === 'download';
}

/** git remotes are written in many ways. */
function normalPath(path: string): string {
  return path
    .replace(/^\/+/u, '')
    .replace(/\/+$/u, '')
    .replace(/\.git$/u, '');
}
