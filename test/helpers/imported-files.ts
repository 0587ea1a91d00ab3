import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportedFile } from '../../model/imports.ts';
import type { TestDaemon } from './daemon.ts';
import { writeTree } from './imports.ts';

/** Writes files into a directory beside the daemon's own, and imports it with its sub-folders. */
export async function importTree(
  daemon: TestDaemon,
  files: Readonly<Record<string, string>>,
  { source = 'source', ...request }: { source?: string; [field: string]: unknown } = {},
) {
  const dir = join(daemon.root, source);
  mkdirSync(dir, { recursive: true });
  writeTree(dir, files);
  return daemon.call('POST', '/api/import', { dir, recursive: true, ...request });
}

export async function listed(daemon: TestDaemon, query = ''): Promise<ImportedFile[]> {
  const { body } = await daemon.get<{ files: ImportedFile[] }>(`/api/imports${query}`);
  return body.files;
}

/** The id of the active file that these words find. */
export async function fileId(daemon: TestDaemon, words: string): Promise<number> {
  const [file] = await listed(daemon, `?q=${encodeURIComponent(words)}&state=active`);
  return file!.id;
}

/** The original bytes of an imported file, as the daemon answers. */
export function contentOf(daemon: TestDaemon, id: number): Promise<Response> {
  return fetch(`${daemon.url}/api/imports/${id}/content`, {
    headers: { authorization: `Bearer ${daemon.token}`, connection: 'close' },
  });
}
