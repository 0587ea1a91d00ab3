import { setTimeout as delay } from 'node:timers/promises';
import { route, type Route } from '../../http/route.ts';
import { WaypointError } from '../../model/failure.ts';
import { healthSchema } from '../../model/process.ts';
import type { ObjectParts } from '../parts.ts';

const answerMs = 2_000;
const keptMs = 5_000;

/** `GET /healthz`: the server runs. `GET /readyz`: its database and its store answer, too, as a balancer wants to know. */
export function healthRoutes(parts: ObjectParts): Route[] {
  const isReady = readiness(parts);
  return [
    route({
      method: 'GET',
      path: '/healthz',
      summary: 'Tells that the server is running.',
      answers: { 200: healthSchema },
      handle: () => ({ status: 200, json: { status: 'ok' } }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      summary:
        'Tells whether the database and the store answer within 2 s; asks them every 5 s at most.',
      answers: { 200: healthSchema },
      async handle() {
        if (!(await isReady())) throw new WaypointError('unavailable', { retryAfterSeconds: 5 });
        return { status: 200, json: { status: 'ok' } };
      },
    }),
  ];
}

/** Asks one question at a time, and keeps its answer. */
function readiness({ clock, contents, directory }: ObjectParts): () => Promise<boolean> {
  // Contents without their mark are another disk, or none.
  const ask = async (): Promise<boolean> => {
    const [isEmpty] = await Promise.all([contents.isEmpty(), directory.standing(0, '')]);
    return !isEmpty;
  };
  let answer = Promise.resolve(false);
  let [isAsking, until] = [false, -Infinity];
  return () => {
    if (!isAsking && clock.monotonic() >= until) {
      isAsking = true;
      answer = ask().catch(() => false);
      void answer.finally(() => {
        isAsking = false;
        until = clock.monotonic() + keptMs;
      });
    }
    return Promise.race([answer, delay(answerMs, false, { ref: false })]);
  };
}
