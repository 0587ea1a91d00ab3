import { connect } from 'node:net';
import { isGpsdGreeting, readTpv } from '../../model/fix.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/process.ts';
import type { Schedule } from '../schedule.ts';
import { readLines } from './line-reader.ts';
import { SourceFailed, type LocationSource } from './location-source.ts';
import { runSession } from './session.ts';

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
    run: (report, signal) =>
      runSession(signal, (end) => {
        const socket = connect({ host: '127.0.0.1', port });
        let isGreeted = false;
        const cancelLimit = schedule(
          () => end(new SourceFailed('silent')),
          limits.locationTimeoutMs,
        );
        function onLine(line: unknown): void {
          const fix = isGreeted ? readTpv(line) : undefined;
          if (fix !== undefined) report(fix);
          if (isGreeted) return;
          if (!isGpsdGreeting(line)) throw new SourceFailed('not_gpsd');
          isGreeted = true;
          cancelLimit();
          socket.write(watch);
        }
        readLines(socket, { clock, onLine, end });
        socket.on('error', end);
        socket.on('close', () => end(new SourceFailed('ended')));
        return () => {
          cancelLimit();
          socket.destroy();
        };
      }),
  };
}
