import { hashPassword } from '../../objects/passwords.ts';
import { openRoot } from '../../objects/root.ts';

/** Name and password of the one user. */
export const storeLogin = 'bench:bench';

/** Makes a store with an empty repository `bench/files`. */
export async function makeStore(root: string): Promise<void> {
  const { directory, close } = await openRoot(root, { owner: 'command' });
  const [user = '', password = ''] = storeLogin.split(':');
  await directory.addUser(user, await hashPassword(password), 0);
  await directory.addRepository('bench', 'files', false, 0);
  await directory.grant(1, 1, 'write');
  await close();
}
