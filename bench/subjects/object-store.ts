import { createHash } from 'node:crypto';
import { hashPassword } from '../../objects/passwords.ts';
import { openRoot } from '../../objects/root.ts';

/** Name and password of the one user. */
export const storeLogin = 'bench:bench';

/** Makes a store whose repository `bench/files` holds so many objects, without their bytes. */
export async function fillStore(root: string, count: number): Promise<void> {
  const { directory, holdings, close } = await openRoot(root, { owner: 'command' });
  const [user = '', password = ''] = storeLogin.split(':');
  await directory.addUser(user, await hashPassword(password), 0);
  await directory.addRepository('bench', 'files', false, 0);
  await directory.grant(1, 1, 'write');
  const named = Array.from({ length: count }, (_, n) => ({
    oid: createHash('sha256').update(`${n}`).digest('hex'),
    size: 1,
  }));
  await holdings.addAll(1, named, 0);
  await close();
}
