import { text } from 'node:stream/consumers';
import { errorCode } from '../model/error-code.ts';
import { healthSchema } from '../model/process.ts';
import http from 'node:http';

/** Who is at a port of 127.0.0.1: a waypointd, another program (or one that hangs), or nobody. */
export type PortUse = 'waypointd' | 'other' | 'nobody';

const timeoutMs = 2_000;
/** Ours has 15 bytes. */
const maxBytes = 1_024;

/** Asks a port of this machine who is there. It takes no token, so the daemon of any user answers. */
export async function probePort(port: number): Promise<PortUse> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await get(port, signal);
    return healthSchema.safeParse(JSON.parse(answer)).success ? 'waypointd' : 'other';
  } catch (error) {
    return errorCode(error) === 'ECONNREFUSED' ? 'nobody' : 'other';
  }
}

function get(port: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port, path: '/healthz', agent: false, signal });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxBytes) response.destroy(new Error('another program'));
      });
      text(response).then(resolve, reject);
    });
    sent.end();
  });
}
