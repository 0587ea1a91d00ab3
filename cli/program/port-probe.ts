import { askDaemon } from '../../client/waypoints/node/transport.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { parseJson } from '../../model/parse-json.ts';
import { healthSchema } from '../../model/process.ts';

/** What listens on a port of 127.0.0.1: a waypointd, another program (or one that hangs), or nothing. */
export type PortUse = 'waypointd' | 'other' | 'nothing';

const timeoutMs = 2_000;
/** Ours has 15 bytes. */
const maxBytes = 1_024;

/** Asks a port of this machine who is there. It takes no token, so the daemon of any user answers. */
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
