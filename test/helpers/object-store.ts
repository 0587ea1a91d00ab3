import { join } from 'node:path';
import type { TestCli } from './cli.ts';

/** Makes an object store by commands, in which ann with the password `a-secret` may write club/maps. @returns its flags. */
export async function makeStore(cli: TestCli): Promise<string[]> {
  const on = ['--root', join(cli.root, 'store')];
  const input = 'a-secret\n';
  await cli.out(['objects', 'repo', 'add', 'club/maps', ...on]);
  await cli.out(['objects', 'user', 'add', 'ann', '--password-stdin', ...on], { input });
  await cli.out(['objects', 'grant', 'ann', 'club/maps', 'write', ...on]);
  return on;
}
