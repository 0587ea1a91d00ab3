import { openAnswer } from '../client/node-request.ts';
import { errorCode } from '../model/error-code.ts';
import { parseJson } from '../model/parse-json.ts';
import { healthSchema } from '../model/process.ts';

/** Who is at a port of 127.0.0.1: a waypointd, another program (or one that hangs), or nobody. */
export type PortUse = 'waypointd' | 'other' | 'nobody';

const timeoutMs = 2_000;
/** Ours has 15 bytes. */
const maxBytes = 1_024;

/** Asks a port of this machine who is there. It takes no token, so the daemon of any user answers. */
export async function probePort(port: number): Promise<PortUse> {
  try {
    const answer = await openAnswer({
      method: 'GET',
      url: new URL(`http://127.0.0.1:${port}/healthz`),
      headers: {},
      silenceMs: timeoutMs,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      fail: (fault, cause) => (cause instanceof Error ? cause : new Error(fault)),
    });
    const health = healthSchema.safeParse(parseJson(await answer.text(maxBytes)));
    return health.success ? 'waypointd' : 'other';
  } catch (error) {
    return errorCode(error) === 'ECONNREFUSED' ? 'nobody' : 'other';
  }
}
