import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { accessTo } from '../../client/waypoints/node/transport.ts';
import { startMapServer, type MapServer } from '../../map/server/server.ts';
import { parseDate } from '../../model/calendar-date.ts';
import { hasChromium, startBrowser } from '../../test/helpers/map-page.ts';
import { moved, openMeasured } from '../measure/page-probe.ts';
import { atMost } from '../report/figure.ts';
import { counted, scenario } from '../scenario.ts';
import { longRecording } from '../timelines/long-recording.ts';

interface Prepared {
  readonly browser: Browser;
  readonly map: MapServer;
  readonly observations: number;
}

interface Subject {
  readonly days: number;
  readonly waypoints: number;
}

const startDay = parseDate('2004-01-01')!;
const mostWaypoints = 100_000;
const pageDirectory = join(import.meta.dirname, '../../dist/map');

/** Waiting times of a user, with the daemon as a process and the map's server in the bench's own. */
export const mapPage = scenario<Subject, Prepared>({
  name: 'map-page',
  title: 'the page of the map in Chromium, which draws in software',
  subjects: ({ timelineDays: [days = 0], sizes }) =>
    hasChromium ? [{ days, waypoints: Math.min(mostWaypoints, Math.max(...sizes)) }] : [],
  label: ({ waypoints }, { observations }) =>
    `${counted(observations, 'points')}, ${counted(waypoints, 'waypoints')}`,
  prepare: async (session, { days, waypoints }) => {
    const { root, observations } = await session.recorded(longRecording(startDay, days));
    const daemon = await session.daemon(root);
    const { port, token } = daemon;
    await daemon.importDirectory(session.places(waypoints).directory);
    const silent = (): void => undefined;
    const map = await startMapServer({
      port: 0,
      pageDirectory,
      findDaemon: () => Promise.resolve(accessTo({ port, token, proof: 1 })),
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    session.keep({ stop: () => map.close(0) });
    const browser = await startBrowser();
    session.keep({ stop: () => browser.close() });
    return { browser, map, observations };
  },
  run: async ({ plan }, { browser, map }) => {
    const { page, times } = await openMeasured(browser, map.newAddress());
    const taskMs = await moved(browser, page, plan.isQuick);
    await page.context().close();
    return { ...times, taskMs };
  },
  figures: () => [
    { what: 'first paint, wall', unit: 'ms', of: 'paintMs', bar: atMost(1_000) },
    { what: 'first tracks, wall', unit: 'ms', of: 'tracksMs', bar: atMost(2_000) },
    { what: 'longest task while the map moves, wall', unit: 'ms', of: 'taskMs', bar: atMost(200) },
  ],
});
