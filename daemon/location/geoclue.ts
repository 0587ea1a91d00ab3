import { on } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { readGeoclueLocation } from '../../model/fix.ts';
import { threadModule } from '../../model/program-files.ts';
import type { GeoclueMessage } from './geoclue-thread.ts';
import { SourceFailed, type LocationSource } from './location-source.ts';

/** The places of the system bus, unless the environment names another. */
const busSockets = ['/run/dbus/system_bus_socket', '/var/run/dbus/system_bus_socket'];
/** The library and a few small messages need a third of it. */
const heapMb = 32;

/**
 * GeoClue, the location service of Linux desktops. Its client runs in a thread: the D-Bus library throws where nothing can
 * catch on some malformed messages, which would end the daemon; it cannot let go of a bus that hangs; and loading it holds
 * the thread for 20 to 60 ms.
 */
export const geoclueSource: LocationSource = {
  name: 'geoclue',
  pauseMs: 1_000,
  async run(report, signal) {
    const address = process.env['DBUS_SYSTEM_BUS_ADDRESS'];
    if (address === undefined && !busSockets.some((path) => existsSync(path)))
      throw new SourceFailed('no_bus');
    const thread = new Worker(threadModule('daemon/location/geoclue-thread'), {
      env: address === undefined ? {} : { DBUS_SYSTEM_BUS_ADDRESS: address },
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 },
      // The library's warnings are for its developers.
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    // Also while it is ended; without a listener it would be an exception.
    thread.on('error', () => undefined);
    try {
      for await (const [message] of on(thread, 'message', { signal, close: ['exit'] })) {
        // Sound: it is our own thread.
        const said = message as GeoclueMessage;
        if ('failure' in said) throw new SourceFailed(said.failure);
        const fix = readGeoclueLocation(said.location);
        if (fix !== undefined) report(fix);
      }
      throw new SourceFailed('ended');
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof SourceFailed ? error : new SourceFailed('thread_failed');
    } finally {
      await thread.terminate();
    }
  },
};
