import type { ExecutionContext } from 'ava';
import {
  WaypointService,
  type ServiceOptions,
  type SignalName,
} from '../../client/waypoints/index.ts';

/** They repeat what the others tell; a test of their own listens to them. */
const besideOthers: readonly string[] = ['requestFailure', 'changeMade'];

/** One signal that was seen: its name, then its arguments. */
export type SeenSignal = readonly [name: SignalName, ...args: unknown[]];

/** A service whose every signal is written down; a listener that throws fails the test. */
export function recordedService(t: ExecutionContext, options: ServiceOptions) {
  let seen: SeenSignal[] = [];
  class Recorded extends WaypointService {
    protected override emit(...[signal]: Parameters<WaypointService['emit']>): void {
      if (!besideOthers.includes(signal[0])) seen.push(signal as SeenSignal);
      super.emit(signal);
    }
  }
  const service = new Recorded({ onListenerError: (error) => t.fail(String(error)), ...options });
  return {
    service,
    /** Every signal since the last call, in order. */
    taken: () => {
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}
