import { isOwnersNonce, proofOf } from '../../client/waypoints/node/proof.ts';
import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { healthQuerySchema, healthSchema } from '../../model/process.ts';
import type { DaemonParts } from '../parts.ts';

/** `GET /healthz`: the process turns, and is the one that knows the token. Outside `/api/`, without a token and data. */
export function healthRoutes({ token, strangers, clock }: DaemonParts): Route[] {
  let [second, proofs] = [0, 0];
  /** Counts the proofs that clients without the token get. @throws WaypointError busy */
  const countProof = (): void => {
    const now = Math.floor(clock.monotonic() / 1_000);
    if (now !== second) [second, proofs] = [now, 0];
    proofs += 1;
    if (proofs > limits.strangersProofsPerSecond) throw new WaypointError('busy');
  };
  return [
    route({
      method: 'GET',
      path: '/healthz',
      summary:
        'Tells that the process is alive, and with a nonce proves that it knows the token; needs no token.',
      query: healthQuerySchema,
      answers: { 200: healthSchema },
      handle({ ctx, query: { nonce } }) {
        const status = 'ok';
        if (nonce === undefined) return { status: 200, json: { status } };
        // A proof that another program fetched to pass on has the wrong port.
        const { socket } = ctx.req;
        const { localPort: port = 0 } = socket;
        if (isOwnersNonce(token, port, nonce)) strangers.admit(socket);
        else countProof();
        const proof = proofOf(token, port, nonce);
        return { status: 200, json: { status, proof } };
      },
    }),
  ];
}
