import { errorCode } from '../../model/error-code.ts';
import { WaypointError } from '../../model/failure.ts';
import { ExitError } from '../../model/exit-error.ts';

/** sd_listen_fds(3): the first of them, after standard input, output and error. */
const firstFd = 3;

/**
 * Takes the socket that systemd has handed to this very process (socket activation), and its variables out of the
 * environment: a child that inherited them would take the descriptor for its own.
 * @returns undefined when there is none, or when it is for another process (LISTEN_PID).
 * @throws ExitError 78 when there are several: nothing says which is meant.
 */
export function takeInheritedSocket(
  env: NodeJS.ProcessEnv,
  pid = process.pid,
): { readonly fd: number } | undefined {
  const { LISTEN_PID: wanted, LISTEN_FDS: count } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES', 'LISTEN_PIDFDID']) {
    delete env[name];
  }
  if (wanted !== String(pid) || count === undefined || count === '0') return undefined;
  if (count === '1') return { fd: firstFd };
  throw new ExitError(
    `The service manager hands over ${count} sockets, and waypointd takes one: leave a single ListenStream=127.0.0.1:PORT in its socket unit.`,
    78,
  );
}

/** Says what is wrong with an inherited socket that cannot be listened on; other errors stay as they are. */
export function explainSocketRefusal(error: unknown): unknown {
  const isForeign = error instanceof WaypointError && error.code === 'forbidden';
  // The error of listen for a descriptor that is no socket, or not of this kind.
  if (!isForeign && errorCode(error) !== 'EINVAL') return error;
  return new ExitError(
    'The service manager hands over a socket that is not one of 127.0.0.1: the ListenStream= of its socket unit must be 127.0.0.1:PORT.',
    78,
    error,
  );
}
