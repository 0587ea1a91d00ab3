import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { ObjectClient, passwordCredentials } from '../../client/objects/index.ts';
import { ann, startTestObjects } from './objects.ts';

/** A repository of our own object server: public to read unless told otherwise, and one user may write. */
export async function startObjectRepository(
  t: ExecutionContext<unknown>,
  { isPublic = true } = {},
) {
  const server = await startTestObjects(t);
  const [user = '', password = ''] = ann.split(':');
  const url = `${server.url}/${isPublic ? 'open' : 'club'}/maps`;
  return {
    url,
    user,
    password,
    client: new ObjectClient({ baseUrl: url, credentials: passwordCredentials(user, password) }),
    /** Where the server keeps the bytes of an object. */
    pathOf: (oid: string) =>
      join(server.directory, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid),
  };
}
