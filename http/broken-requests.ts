import type { IncomingMessage } from 'node:http';
import { WaypointError, type FailureName } from '../model/failure.ts';

const failures = new WeakMap<IncomingMessage, WaypointError>();

/** Notes that the rest of a request can never be read, and tells the reader of its body, if there is one, at once. */
export function breakRequest(req: IncomingMessage, name: FailureName): void {
  const failure = new WaypointError(name);
  failures.set(req, failure);
  if (req.listenerCount('error') > 0) req.emit('error', failure);
}

/** What the parser refused of a request, be it a part or all of it. */
export function brokenBy(req: IncomingMessage): WaypointError | undefined {
  return failures.get(req);
}

/** @throws WaypointError what the parser refused of the request. */
export function refuseBroken(req: IncomingMessage): void {
  const failure = brokenBy(req);
  if (failure !== undefined) throw failure;
}
