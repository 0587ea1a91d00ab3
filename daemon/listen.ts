import type { HttpServer } from '../http/server.ts';
import { errorCode } from '../model/error-code.ts';
import { ExitError } from '../model/exit-error.ts';
import type { Clock, Log } from '../model/process.ts';
import { portFault, refusal } from './faults.ts';
import { portOwner, type PortState } from './port-owner.ts';
import { pause, type Schedule } from './schedule.ts';

interface Place {
  readonly port: number;
  /** A socket inherited from a service manager, instead of the port. */
  readonly socket?: { readonly fd: number } | undefined;
}

export interface Waiting {
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule?: Schedule | undefined;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal | undefined;
  /** Replaced by tests. */
  readonly stateOf?: (port: number) => PortState;
}

export const retryMs = 250;
/** An outgoing connection may have a port of Linux's ephemeral range. One that has ended keeps it for 60 s, and up to 2 more. */
export const connectionMs = 65_000;
/** A daemon that is being stopped, such as the one that this one replaces. */
const listenerMs = 5_000;
/** Free: the kernel does not show a socket that has the port without being connected. */
const patienceMs: Readonly<Record<PortState, number>> = {
  connection: connectionMs,
  free: connectionMs,
  listener: listenerMs,
  unknown: listenerMs,
};

/**
 * Listens on a port of 127.0.0.1, or on an inherited socket; waits a while for a port that is taken.
 * @throws ExitError 75
 * @throws the reason of the signal
 */
export async function listen(
  server: Pick<HttpServer, 'listen'>,
  { port, socket }: Place,
  waiting: Waiting,
): Promise<{ port: number }> {
  const { clock, log, schedule, signal } = waiting;
  const stateOf = waiting.stateOf ?? ((taken) => portOwner(taken).state);
  const begin = clock.monotonic();
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await server.listen(socket ?? { port, host: '127.0.0.1' });
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw notAllowed(error, port);
      const wholeMs = patienceMs[stateOf(port)];
      const isConnection = wholeMs === connectionMs;
      const isOver = socket !== undefined || clock.monotonic() - begin >= wholeMs;
      if (isOver) throw portTaken(port, isConnection, error);
      if (isConnection && tries === 1) log.info('daemon.port_awaited', { port });
    }
    await pause(retryMs, schedule, signal);
  }
}

function portTaken(port: number, isConnection: boolean, error: unknown): ExitError {
  const fault = isConnection
    ? portFault(port, 'connection')
    : portFault(port, 'listener', portOwner(port));
  return refusal(fault, error);
}

function notAllowed(error: unknown, port: number): unknown {
  if (errorCode(error) !== 'EACCES') return error;
  const text = `This user may not listen on port ${port}; choose another with --port.`;
  return new ExitError(text, 75, error);
}
