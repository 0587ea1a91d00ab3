import type { Settings } from '../../model/settings.ts';

/** The URL by which clients reach the object server, as far as the settings tell; without a slash at its end. */
export function clientBaseUrl(settings: Settings): string {
  const { objects_public_url: url, objects_listen: listen, objects_tls_cert: cert } = settings;
  const base = url ?? `${cert === undefined ? 'http' : 'https'}://${listen}`;
  return base.replace(/\/+$/u, '');
}
