import { WaypointError } from '../../../model/failure.ts';

/** Properties of a failed request, as the packages report it. */
interface Told {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const wrongBytes = new Set([
  'BadDigest',
  'IncompleteBody',
  'InvalidDigest',
  'XAmzContentSHA256Mismatch',
]);
const full = new Set([
  'EntityTooLarge',
  'InsufficientStorage',
  'QuotaExceeded',
  'XMinioStorageFull',
]);

/** Whether a bucket says that it has no such object; a bucket that is not there is another matter. */
export function isMissing(error: unknown): boolean {
  const { name, $metadata } = toldBy(error);
  return $metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket';
}

/** Says in our words why a bucket did not do what it was asked for. */
export function bucketFault(cause: unknown): WaypointError {
  if (cause instanceof WaypointError) return cause;
  const { name = '', $metadata } = toldBy(cause);
  const status = $metadata?.httpStatusCode ?? 0;
  if (wrongBytes.has(name)) return new WaypointError('content_mismatch', { cause });
  if (full.has(name) || status === 507) return new WaypointError('disk_full', { cause });
  const isRefused = status === 401 || status === 403 || name === 'NoSuchBucket';
  const isWithoutKey = name === 'CredentialsProviderError';
  if (isRefused || isWithoutKey) return new WaypointError('bucket_refuses', { cause });
  return new WaypointError('bucket_unavailable', { cause, retryAfterSeconds: 30 });
}

function toldBy(error: unknown): Told {
  return error instanceof Error ? (error as Told) : {};
}
