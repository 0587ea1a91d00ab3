/**
 * Where the machine is: through the API with a gpsd of our own and with programs that are really run; what takes
 * minutes, or needs a fault at a certain moment, on the parts with a time that the test moves. Real gpsd and GeoClue:
 * test/clients/location.test.ts.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commandSource } from '../daemon/location/command.ts';
import { geoclueSource } from '../daemon/location/geoclue.ts';
import { gpsdSource } from '../daemon/location/gpsd.ts';
import { SourceFailed, type LocationSource } from '../daemon/location/location-source.ts';
import { Location } from '../daemon/location/location.ts';
import { programEnvironment } from '../daemon/program-environment.ts';
import { scheduleTimeout } from '../daemon/schedule.ts';
import { readGeoclueLocation, readFix } from '../model/fix.ts';
import { splitCommand } from '../model/command-words.ts';
import { systemClock, type LocationFix } from '../model/process.ts';
import { startTestDaemon, type TestDaemon } from './helpers/daemon.ts';
import { silentLog } from './helpers/logs.ts';
import { manualTime } from './helpers/manual-time.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { onLinux, posix } from './helpers/where.ts';
import { answerWhen, until } from './helpers/until.ts';

const isWindows = process.platform === 'win32';
const realTime = { clock: systemClock, schedule: scheduleTimeout };
/** All that comes, however slowly, comes within one second. */
const oneSecond = { clock: manualTime().clock, schedule: scheduleTimeout };
// Never the system bus of the machine that runs the tests.
process.env['DBUS_SYSTEM_BUS_ADDRESS'] = 'unix:path=/nonexistent/bus';

const greeting = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3}\n';
const tpv = {
  class: 'TPV',
  mode: 3,
  time: '2024-06-01T12:00:00.500Z',
  lat: 47.25,
  lon: -122.5,
  eph: 4.5,
  altHAE: 90,
  altMSL: 110.5,
  speed: 1.25,
  track: 270,
};

/** A gpsd: `serve` gets each connection once it has been greeted and has asked for reports. */
async function startGpsd(
  t: ExecutionContext,
  serve: (socket: Socket, connection: number) => void,
  hello = greeting,
): Promise<{ port: number; connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    const connection = count;
    socket.on('error', () => {});
    t.teardown(() => socket.destroy());
    if (hello !== '') socket.write(hello);
    socket.once('data', () => serve(socket, connection));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => count };
}

function lines(...values: unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\r\n`).join('');
}

/** Asks until there is a fix. */
async function untilFix(daemon: TestDaemon): Promise<LocationFix> {
  const ask = () => daemon.get<LocationFix>('/api/location');
  return (await answerWhen(ask, ({ status }) => status === 200)).body;
}

/** Runs one session of a source; `reports` are what it said. */
function session(source: LocationSource) {
  const reports: unknown[] = [];
  const abort = new AbortController();
  const ended = source
    .run((fix) => reports.push(fix), abort.signal)
    .then(
      () => 'in order',
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  return { reports, ended, abort: () => abort.abort() };
}

function gpsdAt(port: number, time = realTime) {
  return gpsdSource({ port, ...time });
}

/** A command that has Node.js run a script. */
function nodeCommand(t: ExecutionContext, script: string): string {
  const file = join(temporaryDirectory(t), 'where am i.cjs');
  writeFileSync(file, script);
  return `"${process.execPath}" "${file}"`;
}

function runCommand(command: string, time = realTime) {
  return session(commandSource({ command, ...time }));
}

test('GET /api/location is 204 with an empty body while the provider is off', async (t) => {
  const daemon = await startTestDaemon(t);
  const answer = await daemon.get('/api/location');
  t.is(answer.status, 204);
  t.is(answer.text, '');
});

test('a fixed position is always fresh, also at (0, 0), and auto takes it', async (t) => {
  const time = manualTime();
  const settings = { location_provider: 'static', location_static: '0,-0' } as const;
  const daemon = await startTestDaemon(t, { settings, clock: time.clock });
  const { body } = await daemon.get('/api/location');
  t.deepEqual(body, { lat: 0, lon: 0, timestamp: '2024-06-01T12:00:00Z', source: 'static' });
  time.advance(3_600_000);
  t.is((await daemon.get('/api/location')).body.timestamp, '2024-06-01T13:00:00Z');
  const auto = await startTestDaemon(t, {
    settings: { location_provider: 'auto', location_static: '47.25, -122.5' },
  });
  t.like((await auto.get('/api/location')).body, { lat: 47.25, lon: -122.5, source: 'static' });
});

test('gpsd: nothing is asked before somebody wants to know, and a fix has all that gpsd knows', async (t) => {
  const gpsd = await startGpsd(t, (socket) => {
    const noPosition = { class: 'TPV', mode: 3, time: tpv.time };
    const text = lines({ class: 'SKY', satellites: [] }, noPosition, { ...tpv, mode: 1 }, tpv);
    // In two pieces, cut inside the last line.
    socket.write(text.slice(0, -40));
    setImmediate(() => socket.write(text.slice(-40)));
  });
  const daemon = await startTestDaemon(t, {
    clock: manualTime().clock,
    settings: { location_provider: 'gpsd' },
    options: { gpsdPort: gpsd.port },
  });
  await daemon.get('/api/version');
  t.is(gpsd.connections(), 0);
  t.is((await daemon.get('/api/location')).status, 204);
  t.deepEqual(await untilFix(daemon), {
    lat: 47.25,
    lon: -122.5,
    accuracy_m: 4.5,
    altitude_m: 110.5,
    speed_mps: 1.25,
    heading_deg: 270,
    timestamp: '2024-06-01T12:00:00.500Z',
    source: 'gpsd',
  });
  t.is(gpsd.connections(), 1);
  await daemon.close();
  t.notRegex(daemon.logged.join('\n'), /47\.25|-122\.5/);
});

test('gpsd: the daemon connects again when the connection ends, and keeps what it knew until then', async (t) => {
  const gpsd = await startGpsd(t, (socket, connection) => {
    socket.end(lines({ ...tpv, time: undefined, eph: undefined, epx: 3, epy: connection + 4 }));
  });
  const daemon = await startTestDaemon(t, {
    settings: { location_provider: 'gpsd' },
    options: { gpsdPort: gpsd.port },
  });
  t.is((await untilFix(daemon)).accuracy_m, 5);
  for (let accuracy = 5; accuracy !== 6;) {
    accuracy = (await daemon.get('/api/location')).body.accuracy_m;
  }
  t.is(gpsd.connections(), 2);
});

const badGpsds: readonly [what: string, hello: string, sent: string, code: string][] = [
  ['is another server', 'HTTP/1.1 400 Bad Request\r\n{}\n', '', 'not_gpsd'],
  ['sends a line without an end', greeting, 'x'.repeat(65_537), 'line_too_long'],
  ['sends more than 256 KiB in a second', greeting, `${' '.repeat(60_000)}\n`.repeat(5), 'flood'],
  ['sends more than 500 lines in a second', greeting, '{}\n'.repeat(600), 'flood'],
  ['ends the connection', greeting, 'END', 'ended'],
];

for (const [what, hello, sent, code] of badGpsds) {
  test(`gpsd: one that ${what} ends the session as ${code}`, async (t) => {
    const serve = (socket: Socket): unknown => (sent === 'END' ? socket.end() : socket.write(sent));
    const { port } = await startGpsd(t, serve, hello);
    t.is(await session(gpsdAt(port, oneSecond)).ended, code);
  });
}

test('gpsd: lines of the greatest length, and what is not JSON or no position, are passed over', async (t) => {
  const rubbish = [
    'x'.repeat(65_535),
    '\u0000\u0001\ufffd',
    '[[[[[',
    '"TPV"',
    'null',
    ...[{ lat: '47' }, { lat: 91 }, { lon: -181 }, { lat: null }, { mode: '3' }].map((wrong) =>
      JSON.stringify({ ...tpv, ...wrong }),
    ),
  ].join('\n');
  const { port } = await startGpsd(t, (socket) => socket.write(`${rubbish}\n${lines(tpv)}`));
  const { reports, abort, ended } = session(gpsdAt(port));
  await until(() => reports.some((report) => readFix(report, 'gpsd', 0) !== undefined));
  abort();
  t.is(await ended, 'in order');
  t.is(reports.filter((report) => readFix(report, 'gpsd', 0) !== undefined).length, 1);
});

test('gpsd: nobody listens; and one that does not greet within 5 s is let go', async (t) => {
  const gpsd = await startGpsd(t, () => {}, '');
  const time = manualTime();
  const hanging = session(gpsdAt(gpsd.port, time));
  await until(() => gpsd.connections() === 1);
  time.advance(4_999);
  t.is(time.waiting(), 1);
  time.advance(1);
  t.is(await hanging.ended, 'silent');
  t.is(time.waiting(), 0);
  t.is(await session(gpsdAt(1)).ended, 'ECONNREFUSED');
});

test('a program prints one position and ends: it is reported, without marks for the unknown', async (t) => {
  const report = {
    lat: 47.25,
    lon: -122.5,
    accuracy_m: 12,
    altitude_m: -1.7976931348623157e308,
    speed_mps: -1,
    heading_deg: 361,
    timestamp: '2024-06-01T13:59:00+02:00',
    address: 'ignored',
  };
  // No line end: the end of the program ends the line.
  const command = nodeCommand(t, `process.stdout.write(${JSON.stringify(JSON.stringify(report))})`);
  const daemon = await startTestDaemon(t, {
    clock: manualTime().clock,
    settings: { location_provider: 'auto', location_command: command },
  });
  t.deepEqual(await untilFix(daemon), {
    lat: 47.25,
    lon: -122.5,
    accuracy_m: 12,
    timestamp: '2024-06-01T11:59:00Z',
    source: 'command',
  });
  await until(() => daemon.logged.some((line) => line.includes('"again_in_ms":30000')));
  t.notRegex(daemon.logged.join('\n'), /47\.25|-122\.5/);
});

test('a fix is used for 120 s and not a millisecond longer, by the later of two clocks and its own time', async (t) => {
  const start = Date.UTC(2024, 5, 1, 12);
  const at = { now: start, monotonic: 0 };
  const file = join(temporaryDirectory(t), 'stamp');
  const script = `const timestamp = require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8');
    console.log(JSON.stringify({ lat: 1, lon: 2, timestamp })); setInterval(() => {}, 1000)`;
  async function statusAt(stamp: number, passed: { now: number; monotonic: number }) {
    Object.assign(at, { now: start, monotonic: 0 });
    writeFileSync(file, new Date(stamp).toISOString());
    const daemon = await startTestDaemon(t, {
      clock: { now: () => at.now, monotonic: () => at.monotonic },
      settings: { location_provider: 'command', location_command: nodeCommand(t, script) },
    });
    await daemon.get('/api/location');
    await until(() => daemon.logged.some((line) => line.startsWith('location.found')));
    at.now += passed.now;
    at.monotonic += passed.monotonic;
    return (await daemon.get('/api/location')).status;
  }
  const cases: [stamp: number, now: number, monotonic: number, status: number][] = [
    [start, 120_000, 120_000, 200],
    [start, 120_001, 120_001, 204],
    [start - 20_000, 100_000, 100_000, 200],
    [start - 20_000, 100_001, 100_001, 204],
    // The clock of the receiver is ahead; ours is set back; the machine has slept.
    [start + 3_600_000, 120_000, 120_000, 200],
    [start, -3_600_000, 120_001, 204],
    [start, 120_001, 5, 204],
    [start - 120_001, 0, 0, 204],
  ];
  for (const [stamp, now, monotonic, status] of cases) {
    t.is(await statusAt(stamp, { now, monotonic }), status, `${stamp - start} ${now} ${monotonic}`);
  }
});

test('a program gets its words as they are, no shell, and nothing that is meant for the daemon', async (t) => {
  const script = `console.log(JSON.stringify({ words: process.argv.slice(2), cwd: process.cwd(),
    env: Object.keys(process.env) }))`;
  process.env['WAYPOINTD_LOCATION_STATIC'] = '1,2';
  t.teardown(() => delete process.env['WAYPOINTD_LOCATION_STATIC']);
  const command = `${nodeCommand(t, script)} $HOME '"a;b" %PATH%' "it's"`;
  const { reports, ended } = runCommand(command);
  t.is(await ended, 'in order');
  const [said] = reports as { words: string[]; cwd: string; env: string[] }[];
  t.deepEqual(said?.words, ['$HOME', '"a;b" %PATH%', "it's"]);
  t.true(said?.env.some((name) => name.toUpperCase() === 'PATH'));
  t.deepEqual(
    said?.env.filter((name) => name.startsWith('WAYPOINTD_')),
    [],
  );
  const given = { NOTIFY_SOCKET: '/x', LISTEN_FDS: '1', WATCHDOG_USEC: '1', HOME: '/h' };
  t.deepEqual(programEnvironment(given), { HOME: '/h' });
});

const badPrograms: readonly [what: string, script: string, code: string][] = [
  ['fails', 'process.exit(3)', 'ended'],
  ['prints without a line end', `process.stdout.write('x'.repeat(1e6))`, 'line_too_long'],
  ['never stops printing', `setInterval(() => console.log('{}\\n'.repeat(50)), 1)`, 'flood'],
];

for (const [what, script, code] of badPrograms) {
  test(`a program that ${what} ends the session as ${code}`, async (t) => {
    t.is(await runCommand(nodeCommand(t, script), oneSecond).ended, code);
  });
}

test('a program that is not there ends the session', async (t) => {
  t.is(await runCommand('/nonexistent/where-am-i').ended, 'ENOENT');
  const file = join(temporaryDirectory(t), 'not-a-program');
  writeFileSync(file, 'x');
  chmodSync(file, 0o600);
  if (!isWindows) t.is(await runCommand(file).ended, 'EACCES');
});

posix(
  'a program that closes its output and goes on is ended after 30 s of silence, too',
  async (t) => {
    const file = join(temporaryDirectory(t), 'mute.sh');
    writeFileSync(file, `echo '{}'; exec >&-; sleep 1000`);
    const time = manualTime();
    const { reports, ended } = runCommand(`/bin/sh "${file}"`, time);
    await until(() => reports.length === 1);
    time.advance(30_000);
    t.is(await ended, 'silent');
  },
);

posix('a program that says nothing for 30 s is ended with all that it has started', async (t) => {
  const directory = temporaryDirectory(t);
  const pids = join(directory, 'pids');
  // The shell and its child both take no notice of SIGTERM.
  const script = `trap '' TERM; sleep 1000 & echo "$! $$" > '${pids}.new'; mv '${pids}.new' '${pids}'; echo '{}'; wait`;
  const file = join(directory, 'hang.sh');
  writeFileSync(file, script);
  const time = manualTime();
  const { reports, ended } = runCommand(`/bin/sh "${file}"`, time);
  await until(() => existsSync(pids) && reports.length === 1);
  time.advance(29_999);
  t.is(time.waiting(), 1);
  time.advance(1);
  t.is(await ended, 'silent');
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const [child, shell] = readFileSync(pids, 'utf8').split(' ').map(Number);
  await until(() => !isAlive(child!) && !isAlive(shell!));
  t.pass();
});

posix('closing the daemon ends the program', async (t) => {
  const script = `console.log(JSON.stringify({ lat: 1, lon: 2, accuracy_m: process.pid })); setInterval(() => {}, 1000)`;
  const daemon = await startTestDaemon(t, {
    settings: { location_provider: 'command', location_command: nodeCommand(t, script) },
  });
  const { accuracy_m: pid = 0 } = await untilFix(daemon);
  t.true(process.kill(pid, 0));
  await daemon.close();
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

onLinux(
  'GeoClue: no bus, and one that speaks another language, end the session; the daemon stays',
  async (t) => {
    t.is(await session(geoclueSource).ended, 'no_bus');
    const path = join(temporaryDirectory(t), 'bus');
    // An answer to the greeting as it should be, and then a message that no parser survives.
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        if (data.includes('AUTH')) socket.write('OK 0123\r\n');
        if (data.includes('BEGIN')) {
          const message = Buffer.alloc(64, 0xff);
          Buffer.from('6c020001080000000100000020000000', 'hex').copy(message);
          socket.write(message);
        }
      });
    });
    await new Promise<void>((done) => server.listen(path, done));
    t.teardown(() => server.close());
    process.env['DBUS_SYSTEM_BUS_ADDRESS'] = `unix:path=${path}`;
    t.teardown(() => (process.env['DBUS_SYSTEM_BUS_ADDRESS'] = 'unix:path=/nonexistent/bus'));
    t.is(await session(geoclueSource).ended, 'thread_failed');
  },
);

onLinux('auto asks gpsd and GeoClue; one of them is enough', async (t) => {
  const gpsd = await startGpsd(t, (socket) => socket.write(lines({ ...tpv, time: undefined })));
  const daemon = await startTestDaemon(t, {
    settings: { location_provider: 'auto' },
    options: { gpsdPort: gpsd.port },
  });
  t.is((await untilFix(daemon)).source, 'gpsd');
  await until(() => daemon.logged.some((line) => /source_ended.*geoclue.*no_bus/.test(line)));
  t.pass();
});

/** A source that does what the test says. */
function scripted(name: LocationSource['name'], pauseMs = 7_000) {
  const runs: {
    report: (fix: unknown) => void;
    signal: AbortSignal;
    end: (error?: unknown) => void;
  }[] = [];
  const source: LocationSource = {
    name,
    pauseMs,
    run: (report, signal) =>
      new Promise((_, reject) => {
        const end = (error: unknown = new Error('over')): void => reject(error);
        signal.addEventListener('abort', () => end());
        runs.push({ report, signal, end });
      }),
  };
  return { source, runs };
}

test('a source that fails is tried again after 1 s, 2 s, 4 s … 5 minutes, and after a fix from the start', async (t) => {
  const time = manualTime();
  const { source, runs } = scripted('gpsd');
  const location = new Location({ sources: [source], ...time, log: silentLog });
  t.teardown(() => location.close());
  location.latest();
  const pauses = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000);
  async function endAndExpect(pauseMs: number, error?: unknown): Promise<void> {
    const count = runs.length;
    runs.at(-1)?.end(error);
    await until(() => time.waiting() === 2);
    // Somebody asks now and then, or it would stop.
    for (let left = pauseMs - 1; left > 0; left -= 100_000) {
      time.advance(Math.min(left, 100_000));
      location.latest();
    }
    t.is(runs.length, count);
    time.advance(1);
    await until(() => runs.length > count);
  }
  for (const pauseMs of pauses) await endAndExpect(pauseMs);
  runs.at(-1)?.report({ lat: 91, lon: 0 });
  await endAndExpect(300_000);
  runs.at(-1)?.report({ lat: 1, lon: 2 });
  t.like(location.latest(), { lat: 1, lon: 2 });
  await endAndExpect(7_000);
  await endAndExpect(1_000);
  // It may have been a person who refused.
  await endAndExpect(300_000, new SourceFailed('refused'));
});

test('sources run from the first question until nobody has asked for 5 minutes', async (t) => {
  const time = manualTime();
  const { source, runs } = scripted('geoclue');
  const location = new Location({ sources: [source], ...time, log: silentLog });
  t.is(runs.length, 0);
  t.is(time.waiting(), 0);
  location.latest();
  t.is(runs.length, 1);
  time.advance(200_000);
  location.latest();
  time.advance(299_999);
  t.false(runs[0]?.signal.aborted);
  time.advance(1);
  t.true(runs[0]?.signal.aborted);
  await until(() => time.waiting() === 0);
  time.advance(3_600_000);
  t.is(runs.length, 1);
  await until(() => {
    location.latest();
    return runs.length === 2;
  });
  await location.close();
  t.true(runs[1]?.signal.aborted);
  t.is(time.waiting(), 0);
  location.latest();
  t.is(runs.length, 2);
});

test('of two sources the more accurate fix of the same moment counts, else the newer one', (t) => {
  const time = manualTime();
  const [gps, wifi] = [scripted('gpsd'), scripted('geoclue')];
  const location = new Location({ sources: [wifi.source, gps.source], ...time, log: silentLog });
  t.teardown(() => location.close());
  location.latest();
  gps.runs[0]?.report({ lat: 1, lon: 1, accuracy_m: 5 });
  time.advance(10_000);
  wifi.runs[0]?.report({ lat: 2, lon: 2, accuracy_m: 900 });
  t.is(location.latest()?.source, 'gpsd');
  time.advance(1);
  wifi.runs[0]?.report({ lat: 2, lon: 2, accuracy_m: 900 });
  t.is(location.latest()?.source, 'geoclue');
  gps.runs[0]?.report({ lat: 1, lon: 1 });
  t.is(location.latest()?.source, 'geoclue');
});

test('what GeoClue says is read without its marks for the unknown', (t) => {
  const unknown = { Altitude: -Number.MAX_VALUE, Speed: -1, Heading: -1, Accuracy: 30 };
  const place = { Latitude: 1.5, Longitude: 2.5, Description: '', ...unknown };
  const at = (seconds: bigint, micro: bigint) =>
    readFix(readGeoclueLocation({ ...place, Timestamp: [seconds, micro] }), 'geoclue', 0);
  t.deepEqual(at(1_717_243_200n, 250_999n), {
    lat: 1.5,
    lon: 2.5,
    accuracy_m: 30,
    timestamp: '2024-06-01T12:00:00.250Z',
    source: 'geoclue',
  });
  for (const [seconds, micro] of [
    [0n, 0n],
    [2n ** 63n, 0n],
    [1n, 1_000_000n],
  ] as const) {
    t.is(at(seconds, micro)?.timestamp, '1970-01-01T00:00:00Z');
  }
  t.is(readGeoclueLocation({ ...place, Latitude: 'north' }), undefined);
  const nmea = readFix(readGeoclueLocation({ ...place, Accuracy: 0 }), 'geoclue', 0);
  t.false('accuracy_m' in (nmea ?? {}));
});

test('a command is split at blanks outside quotes', (t) => {
  const cases: [string, string[] | undefined][] = [
    ['fix', ['fix']],
    ['  a  b ', ['a', 'b']],
    [
      `"C:\\Program Files\\x.exe" -f '{"lat":%lat}'`,
      ['C:\\Program Files\\x.exe', '-f', '{"lat":%lat}'],
    ],
    [`a""b 'c'd ""`, ['ab', 'cd', '']],
    ['', undefined],
    ['   ', undefined],
    ['"" x', undefined],
    ['a "b', undefined],
    ["it's", undefined],
    ['a\0b', undefined],
  ];
  for (const [command, words] of cases) t.deepEqual(splitCommand(command), words, command);
});
