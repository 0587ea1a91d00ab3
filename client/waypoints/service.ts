import type { Operation } from './operation.ts';
import * as operations from './operations/all.ts';
import { Requests, type ServiceOptions } from './requests.ts';
import type { TimelineOptions } from './types.ts';

const { submitTimeline, ...asked } = operations;

type Operations = typeof operations;

/** A method for each operation but that one, with its arguments. */
type Methods = {
  readonly [Name in keyof Operations as Exclude<Name, 'submitTimeline'>]: (
    ...args: Parameters<Operations[Name]>
  ) => Promise<ReturnType<Operations[Name]> extends Operation<infer T> ? T : never>;
};

/** Sound: each operation is given the arguments of the method of its name. */
type AnyOperation = (...args: readonly unknown[]) => Operation<unknown>;

class Asking extends Requests {
  constructor(options?: ServiceOptions) {
    super(options);
    const methods = Object.entries(asked).map(([name, operation]) => [
      name,
      (...args: unknown[]) => this.run((operation as AnyOperation)(...args), name, args),
    ]);
    Object.assign(this, Object.fromEntries(methods));
  }
}

/** A promise of the job's id that knows, before it settles, by which number its signals will name the request. */
export interface TimelineSubmission extends Promise<string> {
  readonly requestId: number;
}

/**
 * The waypoint API for a user interface: one method for each thing it can ask, whose outcome comes both as a promise and
 * as signals. With `apiPort` below zero it works without a daemon (specification, "Offline fallback mode").
 *
 * A promise rejects with a RequestFailure; callers that use signals may ignore it.
 */
export class WaypointService extends (Asking as new (
  options?: ServiceOptions,
) => Asking & Methods) {
  #timelineRequests = 0;

  /** Queues a timeline of whole days, `YYYY-MM-DD`, both inclusive; UTC days without a `time_zone`. */
  submitTimeline(start: string, end: string, options: TimelineOptions = {}): TimelineSubmission {
    const requestId = (this.#timelineRequests += 1);
    const args = Object.keys(options).length === 0 ? [start, end] : [start, end, options];
    const operation = submitTimeline(requestId, start, end, options);
    const submitted = this.run(operation, 'submitTimeline', args);
    return Object.assign(submitted, { requestId });
  }
}
