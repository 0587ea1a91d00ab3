import { connect } from 'node:net';
import { isGpsdGreeting, readTpv } from '../../model/fix.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/process.ts';
import type { Schedule } from '../schedule.ts';
import { SourceFailed, type LocationSource } from './location-source.ts';
import { readLines } from './read-lines.ts';

export interface GpsdOptions {
  /** On 127.0.0.1; gpsd's own is 2947. */
  readonly port: number;
  readonly clock: Clock;
  readonly schedule: Schedule;
}

const watch = '?WATCH={"enable":true,"json":true};\n';

/** gpsd: lines of JSON over a local socket, for as long as it is connected. */
export function gpsdSource({ port, clock, schedule }: GpsdOptions): LocationSource {
  return {
    name: 'gpsd',
    pauseMs: 1_000,
    async run(report, signal) {
      const socket = connect({ host: '127.0.0.1', port });
      const giveUp = (): void => void socket.destroy(new SourceFailed('silent'));
      const cancelLimit = schedule(giveUp, limits.locationTimeoutMs);
      let isGreeted = false;
      function onLine(line: unknown): void {
        const fix = isGreeted ? readTpv(line) : undefined;
        if (fix !== undefined) report(fix);
        if (isGreeted) return;
        if (!isGpsdGreeting(line)) throw new SourceFailed('not_gpsd');
        isGreeted = true;
        cancelLimit();
        socket.write(watch);
      }
      try {
        await readLines(socket, { clock, signal, onLine });
      } finally {
        cancelLimit();
      }
      if (!signal.aborted) throw new SourceFailed('ended');
    },
  };
}
