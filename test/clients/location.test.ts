/**
 * Location with the real programs: gpsd, fed by gpsfake with NMEA sentences of a made-up receiver, and GeoClue on a bus
 * of its own, which reads such sentences from a socket.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { LocationFix } from '../../model/process.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { freePort } from '../helpers/local-server.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { answerWhen, until } from '../helpers/until.ts';
import { testWith } from '../helpers/where.ts';

const geoclue = '/usr/libexec/geoclue';
const agent = '/usr/libexec/geoclue-2.0/demos/agent';
const geoclueConfig = '/etc/geoclue/geoclue.conf';

const hasGpsd = runs('gpsfake', '--version') && runs('gpsd', '-V');
const hasGeoclue =
  [geoclue, agent, geoclueConfig].every((path) => existsSync(path)) &&
  runs('dbus-daemon', '--version') &&
  runs('unshare', '--mount', 'true');
// One after the other: GeoClue's bus is named by the environment.
const testGpsd = testWith(hasGpsd, 'no gpsd, gpsfake', test.serial);
const testGeoclue = testWith(
  hasGeoclue,
  'no geoclue-2.0, no dbus-daemon, or not root',
  test.serial,
);

function runs(program: string, ...words: string[]): boolean {
  return spawnSync(program, words).status === 0;
}

function start(t: ExecutionContext, program: string, ...words: string[]): ChildProcess {
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  t.teardown(() => stop(child));
  return child;
}

/** Ends a program and all that it has started. */
async function stop({ pid, exitCode }: ChildProcess): Promise<void> {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
    for (;;) {
      process.kill(-pid, 0);
      await delay(10);
    }
  } catch {
    // Gone.
  }
}

function sentence(text: string): string {
  const sum = Buffer.from(text).reduce((all, byte) => all ^ byte, 0);
  return `$${text}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
}

/** What a receiver at 47°15′N 122°30′W says in one second, going west at 2.5 knots. */
function nmea(at: number, minutes = '4715.0000'): string {
  const [date, time] = new Date(at).toISOString().slice(2, 19).split('T') as [string, string];
  const clock = `${time.replaceAll(':', '')}.00`;
  const day = date.split('-').toReversed().join('');
  return [
    `GPGGA,${clock},${minutes},N,12230.0000,W,1,08,0.9,110.5,M,-17.0,M,,`,
    'GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5',
    `GPRMC,${clock},A,${minutes},N,12230.0000,W,2.5,270.0,${day},,,A`,
  ]
    .map(sentence)
    .join('');
}

function startGpsd(t: ExecutionContext, port: number, minutes: string): ChildProcess {
  const log = join(temporaryDirectory(t), 'receiver.nmea');
  const now = Date.now();
  writeFileSync(log, Array.from({ length: 30 }, (_, i) => nmea(now + i * 1000, minutes)).join(''));
  return start(t, 'gpsfake', '-q', '-c', '0.05', '-P', String(port), log);
}

async function untilFix(daemon: TestDaemon, isWanted: (fix: LocationFix) => boolean = () => true) {
  const ask = () => daemon.get<LocationFix>('/api/location');
  return (await answerWhen(ask, ({ status, body }) => status === 200 && isWanted(body))).body;
}

const untilLogged = (daemon: TestDaemon, pattern: RegExp) =>
  until(() => daemon.logged.some((line) => pattern.test(line)));

function assertNoPositionLogged(t: ExecutionContext, daemon: TestDaemon): void {
  t.notRegex(daemon.logged.join('\n'), /47\.25|-122\.5/);
}

testGpsd('gpsd: a fix, and another one after gpsd was restarted', async (t) => {
  const port = await freePort();
  const first = startGpsd(t, port, '4715.0000');
  const settings = { location_provider: 'gpsd' } as const;
  const daemon = await startTestDaemon(t, { settings, options: { gpsdPort: port } });
  // In the course of a second gpsd learns one after the other.
  const fix = await untilFix(
    daemon,
    ({ altitude_m, heading_deg }) => altitude_m !== undefined && heading_deg !== undefined,
  );
  t.like(fix, { lat: 47.25, lon: -122.5, altitude_m: 110.5, heading_deg: 270, source: 'gpsd' });
  t.true(Math.abs(Date.parse(fix.timestamp) - Date.now()) < 60_000);
  t.true((fix.speed_mps ?? 0) > 1.2 && (fix.speed_mps ?? 0) < 1.4);
  await stop(first);
  await untilLogged(daemon, /source_ended/);
  startGpsd(t, port, '4730.0000');
  t.is((await untilFix(daemon, ({ lat }) => lat !== 47.25)).lat, 47.5);
  await daemon.close();
  assertNoPositionLogged(t, daemon);
});

/** A private system bus, and in its directory a socket with the sentences of a receiver. */
async function startBus(t: ExecutionContext) {
  const directory = temporaryDirectory(t);
  const path = (name: string): string => join(directory, name);
  const allowed = ['send', 'receive'].flatMap((way) =>
    ['method_call', 'method_return', 'signal', 'error'].map(
      (type) => `<allow ${way}_type="${type}"/>`,
    ),
  );
  writeFileSync(
    path('bus.conf'),
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${path('bus')}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/>${allowed.join('')}</policy></busconfig>`,
  );
  const receiver = createServer((socket) => {
    socket.on('error', () => {});
    const timer = setInterval(() => socket.write(nmea(Date.now())), 100);
    socket.on('close', () => clearInterval(timer));
    t.teardown(() => socket.destroy());
  });
  await new Promise<void>((done) => receiver.listen(path('nmea'), done));
  t.teardown(() => receiver.close());
  start(t, 'dbus-daemon', `--config-file=${path('bus.conf')}`, '--nofork', '--nopidfile');
  while (!existsSync(path('bus'))) await delay(10);
  process.env['DBUS_SYSTEM_BUS_ADDRESS'] = `unix:path=${path('bus')}`;
  t.teardown(() => delete process.env['DBUS_SYSTEM_BUS_ADDRESS']);
  return path;
}

/** GeoClue with that receiver as its only source; its configuration is laid over the system's in its own namespace. */
function startGeoclue(t: ExecutionContext, path: (name: string) => string, isAllowed: boolean) {
  const config = readFileSync(geoclueConfig, 'utf8')
    .replaceAll(/^enable=true$/gm, 'enable=false')
    .replace(
      /^\[network-nmea\]$/m,
      `[network-nmea]\nenable=true\nnmea-socket=${path('nmea')}\n[replaced]`,
    );
  const own = `\n[waypointd]\nallowed=${isAllowed}\nsystem=false\nusers=\n`;
  writeFileSync(path('geoclue.conf'), config + own);
  const script = 'mount --bind "$1" "$2" && exec "$3"';
  const files = [path('geoclue.conf'), geoclueConfig, geoclue];
  return start(t, 'unshare', '--mount', 'sh', '-c', script, 'sh', ...files);
}

testGeoclue('GeoClue: a fix, and another one after GeoClue was restarted', async (t) => {
  const path = await startBus(t);
  const first = startGeoclue(t, path, true);
  start(t, agent);
  const daemon = await startTestDaemon(t, { settings: { location_provider: 'geoclue' } });
  const fix = await untilFix(daemon);
  t.like(fix, { lat: 47.25, lon: -122.5, altitude_m: 110.5, source: 'geoclue' });
  t.true(Math.abs(Date.parse(fix.timestamp) - Date.now()) < 60_000);
  await stop(first);
  await untilLogged(daemon, /source_ended.*geoclue.*ended/);
  const stopped = Date.now();
  startGeoclue(t, path, true);
  await untilFix(daemon, ({ timestamp }) => Date.parse(timestamp) > stopped + 1000);
  await daemon.close();
  assertNoPositionLogged(t, daemon);
});

testGeoclue('GeoClue: refused by its configuration, the answer stays 204', async (t) => {
  const path = await startBus(t);
  startGeoclue(t, path, false);
  start(t, agent);
  const daemon = await startTestDaemon(t, { settings: { location_provider: 'geoclue' } });
  t.is((await daemon.get('/api/location')).status, 204);
  await untilLogged(daemon, /source_ended.*geoclue.*refused/);
  t.is((await daemon.get('/api/location')).status, 204);
});

testGeoclue('GeoClue: without an agent it never answers, and is let go after 5 s', async (t) => {
  const path = await startBus(t);
  startGeoclue(t, path, true);
  const daemon = await startTestDaemon(t, { settings: { location_provider: 'geoclue' } });
  const begin = Date.now();
  t.is((await daemon.get('/api/location')).status, 204);
  await untilLogged(daemon, /source_ended.*geoclue.*silent/);
  const passed = Date.now() - begin;
  t.true(passed >= 5_000, `${passed} ms`);
});
