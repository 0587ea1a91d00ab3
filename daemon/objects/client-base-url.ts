import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../model/settings.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';

/** Remembers beside a store where it is served: a command on the same store knows nothing of the server's flags. */
export async function rememberBaseUrl(root: string, url: string): Promise<void> {
  await writeFileAtomic(join(root, 'address'), `${url}\n`);
}

/**
 * The URL by which clients reach the object server, without a slash at its end: the public one of the settings, where the store
 * was served last, or where the settings want it served.
 */
export async function clientBaseUrl(settings: Settings, root: string): Promise<string> {
  const { objects_public_url: url, objects_listen: listen, objects_tls_cert: cert } = settings;
  if (url !== undefined) return url.replace(/\/+$/u, '');
  const served = await readFile(join(root, 'address'), 'utf8').catch(() => '');
  if (URL.canParse(served)) return served.trim();
  return `${cert === undefined ? 'http' : 'https'}://${listen}`;
}

/** A server that listens everywhere does not know by which name others reach it. */
export function isReachable(url: string): boolean {
  return !['0.0.0.0', '[::]'].includes(new URL(url).hostname);
}
