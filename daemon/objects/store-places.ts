import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitError } from '../../model/exit-error.ts';
import type { Settings } from '../../model/settings.ts';
import type { StorePlaces } from '../../objects/root.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';

/**
 * Where an object store is that its directory does not hold.
 * @throws ExitError
 */
export function storePlaces(settings: Settings): StorePlaces {
  const { objects_database: database, objects_store: store } = settings;
  return {
    ...(database === 'sqlite' ? {} : { database: databaseUrl(database) }),
    ...(store === 'file' ? {} : { bucket: bucketPlace(settings) }),
  };
}

/** @param value the URL itself, or the path of a file that holds it. */
export function databaseUrl(value: string): string {
  if (value.startsWith('postgres')) return value;
  let text: string;
  try {
    text = readFileSync(value, 'utf8').trim();
  } catch (cause) {
    throw new ExitError('The file that objects_database names cannot be read.', 78, cause);
  }
  if (/^postgres(?:ql)?:\/\/\S+$/u.test(text)) return text;
  throw new ExitError('The file that objects_database names holds no postgres:// URL.', 78);
}

/** The bucket that the settings name, also where they keep contents elsewhere. */
export function bucketPlace(settings: Settings): NonNullable<StorePlaces['bucket']> {
  const bucket = settings.objects_s3_bucket;
  if (bucket === undefined) throw new ExitError('The setting objects_s3_bucket is missing.', 78);
  return {
    endpoint: settings.objects_s3_endpoint,
    region: settings.objects_s3_region,
    bucket,
    prefix: settings.objects_s3_prefix ?? '',
    isPathStyle: settings.objects_s3_path_style,
    credentialsFile: settings.objects_s3_credentials_file,
  };
}

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
