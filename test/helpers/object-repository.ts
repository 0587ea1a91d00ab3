import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import {
  ObjectClient,
  passwordCredentials,
  type ConnectionOptions,
} from '../../client/objects/index.ts';
import { hashPassword } from '../../objects/passwords.ts';
import { openRoot } from '../../objects/root.ts';
import { startObjectServer } from '../../objects/server.ts';
import { plainConfig, systemClock } from './objects.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Our own object server with one repository: public to read, and one user may write. */
export interface ObjectRepository {
  /** Directory of the store. */
  readonly root: string;
  /** URL of the repository. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly client: (options?: Partial<ConnectionOptions>) => ObjectClient;
  /** Where the server keeps the bytes of an object. */
  readonly pathOf: (oid: string) => string;
}

/** Starts one on a free port; it is closed with the test. */
export async function startObjectRepository(
  t: ExecutionContext<unknown>,
  { isPublic = true } = {},
): Promise<ObjectRepository> {
  const directory = join(temporaryDirectory(t), 'objects');
  const root = await openRoot(directory, { owner: 'command' });
  const [user, password] = ['ann', 'a-long-password'];
  const now = Date.now();
  await root.directory.addUser(user, await hashPassword(password), now);
  await root.directory.addRepository('club', 'maps', isPublic, now);
  const account = await root.directory.findUser(user);
  const repository = await root.directory.findRepository('club/maps');
  if (account === undefined || repository === undefined) throw new Error('not made');
  await root.directory.grant(account.id, repository.id, 'write');
  await root.close();
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const server = await startObjectServer({
    root: directory,
    config: plainConfig,
    log: silent,
    clock: systemClock,
    listen: { host: '127.0.0.1', port: 0 },
  });
  t.teardown(() => server.close(0));
  const url = `http://127.0.0.1:${server.port}/club/maps`;
  const credentials = passwordCredentials(user, password);
  return {
    root: directory,
    url,
    user,
    password,
    client: (options) => new ObjectClient({ baseUrl: url, credentials, ...options }),
    pathOf: (oid) => join(directory, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid),
  };
}
