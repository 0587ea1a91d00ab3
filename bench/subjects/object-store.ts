import { createHash } from 'node:crypto';
import { hashPassword } from '../../objects/passwords.ts';
import { openRoot } from '../../objects/root.ts';

/** Name and password of the one user. */
export const storeLogin = 'bench:bench';

/** Makes a store whose repository `bench/files` holds so many objects, without their bytes. */
export async function fillStore(root: string, count: number): Promise<void> {
  const { directory, holdings, db, close } = await openRoot(root, { owner: 'command' });
  const [user = '', password = ''] = storeLogin.split(':');
  directory.addUser(user, await hashPassword(password), 0);
  directory.addRepository('bench', 'files', false, 0);
  directory.grant(1, 1, 'write');
  db.transaction(() => {
    for (let n = 0; n < count; n += 1) {
      holdings.add(1, { oid: createHash('sha256').update(`${n}`).digest('hex'), size: 1 }, 0);
    }
  })();
  await close();
}
