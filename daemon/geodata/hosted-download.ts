import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConnectionOptions, ObjectClient } from '../../client/objects/index.ts';
import { fileBytes } from '../../geodata/generation-files.ts';
import { InstallFailed, type ArtifactRequest, type Download } from '../../geodata/installer.ts';
import type { InstallErrorCode } from '../../model/geodata.ts';
import { limits } from '../../model/limits.ts';

export interface HostedDownloadOptions extends Pick<
  ConnectionOptions,
  'stallMs' | 'pausesMs' | 'wait'
> {
  /** Bytes that may still be written to the file system of a directory. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

/** Short: the user is waiting, or asks again. */
const defaultPausesMs = [1_000, 4_000, 16_000];
/** Longer waits that a server asks for end the install. */
const longestWaitMs = 600_000;

/** In ascending rank: of several servers' reasons the highest is reported. */
const reasons: readonly InstallErrorCode[] = [
  'offline',
  'not_found',
  'stalled',
  'rate_limited',
  'unauthorized',
  'mismatch',
];

/**
 * Fetches artifacts from the servers of the manifest, in their order, and continues earlier downloads. Connects nowhere
 * else, whatever a server says.
 */
export function hostedDownload({
  freeBytes = freeBytesOf,
  ...options
}: HostedDownloadOptions = {}): Download {
  return async (request) => {
    const { endpoints, signal } = request;
    if (endpoints.length === 0) throw new InstallFailed('offline');
    await requireSpace(request, freeBytes);
    // Most daemons never fetch anything.
    const { ObjectClient: Client } = await import('../../client/objects/index.ts');
    const origins = endpoints.map((endpoint) => new URL(endpoint).origin);
    const shared = { stallMs: limits.geodataStallMs, pausesMs: defaultPausesMs, ...options };
    const failures: InstallFailed[] = [];
    for (const baseUrl of endpoints) {
      try {
        await fetchFrom(new Client({ baseUrl, origins, longestWaitMs, ...shared }), request);
        return;
      } catch (error) {
        signal.throwIfAborted();
        failures.push(await failureOf(error));
      }
    }
    const rank = ({ code }: InstallFailed): number => reasons.indexOf(code);
    throw failures.toSorted((a, b) => rank(b) - rank(a))[0];
  };
}

async function fetchFrom(
  client: ObjectClient,
  { artifact, path, onBytes, signal }: ArtifactRequest,
): Promise<void> {
  const { oid, size } = artifact;
  const object = await client.find(oid, { signal });
  if (object === undefined) throw new InstallFailed('not_found');
  if (object.size !== size) throw new InstallFailed('mismatch');
  await client.fetch(object, { partPath: path, mode: 0o600, signal, onProgress: onBytes });
}

async function requireSpace(
  { artifact, path }: ArtifactRequest,
  freeBytes: (directory: string) => Promise<number>,
): Promise<void> {
  const there = (await fileBytes(path)) ?? 0;
  // A file that is too long is fetched anew.
  const missing = artifact.size - (there > artifact.size ? 0 : there);
  const free = await freeBytes(dirname(path));
  if (free < missing + limits.geodataSpareBytes) throw new InstallFailed('disk_full');
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** @throws errors that are not a server's, such as those of a disk. */
async function failureOf(error: unknown): Promise<InstallFailed> {
  if (error instanceof InstallFailed) return error;
  const { ObjectClientError } = await import('../../client/objects/index.ts');
  if (!(error instanceof ObjectClientError)) throw error;
  const { failure, status = 0 } = error;
  return new InstallFailed(failure === 'http' ? codeOf(status) : codes[failure], error);
}

const codes = {
  unreachable: 'offline',
  stalled: 'stalled',
  mismatch: 'mismatch',
  protocol: 'mismatch',
} as const;

function codeOf(status: number): InstallErrorCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429 || status === 509) return 'rate_limited';
  return status < 400 ? 'mismatch' : 'offline';
}
