import type { DaemonAccess } from '../requests.ts';
import { WaypointService } from '../service.ts';
import type { ListenerErrorHandler } from '../signals.ts';
import { probeDaemon } from './api-client.ts';
import { readHandOver, servesDataDirectory } from './hand-over-file.ts';
import { daemonPlaces, type ChosenDirectories } from './places.ts';
import { nodeTransport } from './transport.ts';

export interface ConnectOptions extends ChosenDirectories {
  /** As of WaypointService. */
  readonly onListenerError?: ListenerErrorHandler;
}

/** No daemon of this user answers. */
export class DaemonNotFound extends Error {
  override readonly name = 'DaemonNotFound';
}

/**
 * Finds the running daemon of this user through its hand-over file and gives the service for it. When the daemon is
 * started anew, which changes its token and perhaps its port, the service finds it again by itself.
 * @throws DaemonNotFound
 */
export async function connect({
  onListenerError,
  ...directories
}: ConnectOptions = {}): Promise<WaypointService> {
  const untrusted: string[] = [];
  const access = await search(directories, (file, reason) => untrusted.push(`${file}: ${reason}`));
  if (access === undefined) {
    throw new DaemonNotFound(['No waypointd is running.', ...untrusted].join(' Not used: '));
  }
  return new WaypointService({
    ...access,
    transport: nodeTransport,
    renewAccess: () => findDaemon(directories),
    ...(onListenerError === undefined ? {} : { onListenerError }),
  });
}

/** Port and token of the running daemon of this user; undefined when there is none. */
export function findDaemon(directories: ChosenDirectories = {}): Promise<DaemonAccess | undefined> {
  return search(directories, () => {});
}

async function search(
  directories: ChosenDirectories,
  onRefused: (file: string, reason: string) => void,
): Promise<DaemonAccess | undefined> {
  const { data, isDataChosen, candidates } = daemonPlaces(directories);
  for (const file of candidates) {
    const reading = await readHandOver(file);
    if (reading.found === 'refused') onRefused(file, reading.reason);
    if (reading.found !== 'hand-over') continue;
    const { handOver } = reading;
    if (isDataChosen && !servesDataDirectory(handOver, data)) continue;
    if ((await probeDaemon(handOver)) === undefined) continue;
    return { apiPort: handOver.port, apiToken: handOver.token };
  }
  return undefined;
}
