import { RequestFailure } from '../request-failure.ts';
import type { DaemonAccess } from '../requests.ts';
import type { ListenerErrorHandler } from '../signals.ts';
import { daemonPlaces, type ChosenDirectories } from './places.ts';
import { WaypointService } from './node-service.ts';
import { seekDaemons } from './seek-daemons.ts';

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
 * @throws DaemonNotFound; RequestFailure `impostor` when another program answers at the daemon's port
 */
export async function connect({
  onListenerError,
  ...directories
}: ConnectOptions = {}): Promise<WaypointService> {
  const untrusted: string[] = [];
  const access = await search(directories, untrusted);
  if (access === undefined) {
    throw new DaemonNotFound(['No waypointd is running.', ...untrusted].join(' Not used: '));
  }
  return new WaypointService({
    ...access,
    renewAccess: () => findDaemon(directories),
    ...(onListenerError === undefined ? {} : { onListenerError }),
  });
}

/** Port and token of the running daemon of this user; undefined when no daemon runs, or another program answers in its place. */
export async function findDaemon(
  directories: ChosenDirectories = {},
): Promise<DaemonAccess | undefined> {
  try {
    return await search(directories, []);
  } catch (error) {
    if (error instanceof RequestFailure && error.isImpostor) return undefined;
    throw error;
  }
}

/**
 * @param untrusted gets the files that are not trusted, and why.
 * @throws RequestFailure `impostor`
 */
async function search(
  directories: ChosenDirectories,
  untrusted: string[],
): Promise<DaemonAccess | undefined> {
  const { data, isDataChosen, candidates } = daemonPlaces(directories);
  let failure: RequestFailure | undefined;
  for await (const seen of seekDaemons(candidates, isDataChosen ? data : undefined)) {
    if (seen.state === 'refused') untrusted.push(`${seen.file}: ${seen.reason}`);
    if (seen.state === 'impostor') failure ??= seen.failure;
    if (seen.state !== 'running') continue;
    const { port: apiPort, token: apiToken, proof } = seen.handOver;
    return { apiPort, apiToken, apiProves: proof === 1 };
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
