import { askDaemon } from '../../client/waypoints/node/transport.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { portFault, type Fault } from '../../daemon/faults.ts';
import { portOwner } from '../../daemon/port-owner.ts';
import { parseJson } from '../../model/parse-json.ts';
import { healthSchema } from '../../model/process.ts';

/** The listener on a port of 127.0.0.1; `other` also for one that hangs. */
export type PortUse = 'waypointd' | 'other' | 'nothing';

const timeoutMs = 2_000;
/** Ours has 15 bytes. */
const maxBytes = 1_024;

/** Asks a port for its health, which the daemon of any user answers. */
export async function probePort(port: number): Promise<PortUse> {
  const access = { base: `http://127.0.0.1:${port}`, token: '' };
  const signal = AbortSignal.timeout(timeoutMs);
  const request = { method: 'GET', path: '/healthz', silenceMs: 0, signal };
  try {
    const answer = parseJson(await (await askDaemon(access, request)).text(maxBytes));
    return healthSchema.safeParse(answer).success ? 'waypointd' : 'other';
  } catch (error) {
    return error instanceof RequestFailure && error.wasRefused ? 'nothing' : 'other';
  }
}

/** Finds why a daemon could not listen on a port; asks who is there, unless the kernel says that it is free. */
export async function findPortFault(
  port: number,
  owner = portOwner(port),
): Promise<Fault | undefined> {
  if (owner.state === 'free') return undefined;
  if (owner.state === 'connection') return portFault(port, 'connection');
  const use = await probePort(port);
  if (use === 'nothing') return undefined;
  return portFault(port, use === 'waypointd' ? use : 'program', owner);
}
