import type { LocationFix } from '../../model/process.ts';
import type { OpenLocationOptions } from './open-location.ts';

/** Gives the best fix that is fresh, from memory, without ever waiting for a source. */
export type LatestFix = () => Promise<LocationFix | undefined>;

/** Where the machine is, as routes see it. */
export interface LocationReader {
  readonly latest: LatestFix;
  /** Lets go of all sources. */
  readonly close: () => Promise<void>;
}

/** Knows where the machine is, from the first question on; before that, nothing is even loaded. */
export function lazyLocation(options: OpenLocationOptions): LocationReader {
  let opened: ReturnType<typeof load> | undefined;
  let isClosed = false;
  async function load() {
    const { openLocation } = await import('./open-location.ts');
    return openLocation(options);
  }
  return {
    async latest() {
      if (isClosed) return undefined;
      opened ??= load();
      return (await opened).latest();
    },
    async close() {
      isClosed = true;
      await (await opened)?.close();
    },
  };
}
