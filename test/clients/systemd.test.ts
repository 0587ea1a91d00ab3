/** The service as its users have it: a real systemd in namespaces, and the tools that judge its units. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  renderNoNetwork,
  renderSocketUnit,
  renderSystemUnit,
  renderUserUnit,
} from '../../service-files/systemd/service-unit.ts';
import { freePort } from '../helpers/local-server.ts';
import { bootMachine, bootUser, whyNoSystemd, type Namespace } from '../helpers/namespace.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testUnless, testWith } from '../helpers/where.ts';

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
const withAnalyze = testWith(hasAnalyze, 'no systemd-analyze');
const withSystemd = testUnless(whyNoSystemd(), test.serial);

/** Of nobody on this machine, it is hoped: an account is not needed. */
const uid = 47_110;

/** Writes the units of a service that any machine could run, below a directory of the test. */
function writeUnits(t: ExecutionContext): { readonly user: string; readonly system: string } {
  const directory = temporaryDirectory(t);
  const data = join(directory, `dä "t\\a" 100% $HOME & <x>`);
  mkdirSync(data);
  const common = { name: 'waypointd', title: 'Test', node: '/bin/true', hasSocket: true } as const;
  const unit = { ...common, words: ['serve', '--data-dir', data], writable: [data] };
  const user = renderUserUnit({ ...unit, hasCacheDirectory: true, isSandboxed: true });
  const system = renderSystemUnit(unit);
  const paths = { user: join(directory, 'user'), system: join(directory, 'system') };
  for (const [kind, text] of [
    ['user', user],
    ['system', system],
  ] as const) {
    mkdirSync(join(paths[kind], 'waypointd.service.d'), { recursive: true });
    writeFileSync(join(paths[kind], 'waypointd.service'), text);
    const socket = renderSocketUnit('waypointd', 43_098);
    writeFileSync(join(paths[kind], 'waypointd.socket'), socket);
    const dropIn = join(paths[kind], 'waypointd.service.d', '10-no-network.conf');
    writeFileSync(dropIn, renderNoNetwork('waypointd'));
  }
  return paths;
}

withAnalyze('systemd-analyze finds nothing wrong with any unit', (t) => {
  const { user, system } = writeUnits(t);
  const env = { ...process.env, XDG_RUNTIME_DIR: temporaryDirectory(t) };
  for (const [directory, scope] of [
    [user, ['--user']],
    [system, []],
  ] as const) {
    for (const name of ['waypointd.service', 'waypointd.socket']) {
      const words = [...scope, 'verify', join(directory, name)];
      const options = { env, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync('systemd-analyze', words, options);
      // A value that it does not know is only a warning.
      t.deepEqual([status, `${stdout}${stderr}`], [0, ''], `${directory}/${name}`);
    }
  }
});

withAnalyze('systemd-analyze rates the exposure of both units at 2.0 or less', (t) => {
  const { user, system } = writeUnits(t);
  for (const directory of [user, system]) {
    const unit = join(directory, 'waypointd.service');
    const words = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
    const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    t.is(status, 0, stdout);
    t.regex(stdout, /Overall exposure level.*: [01]\.\d/u);
  }
});

/** The service in its namespace, and what a test asks about it. */
class Service {
  readonly machine: Namespace;
  readonly port: number;
  readonly #scope: readonly string[];

  constructor(machine: Namespace, port: number, scope: readonly string[]) {
    this.machine = machine;
    this.port = port;
    this.#scope = scope;
  }

  cli(...words: string[]) {
    return this.machine.run([this.machine.node, this.machine.launcher, ...words]);
  }

  async systemctl(...words: string[]): Promise<string> {
    const { stdout } = await this.machine.run(['systemctl', ...this.#scope, ...words]);
    return stdout.trim();
  }

  property(name: string): Promise<string> {
    return this.systemctl('show', 'waypointd.service', '--property', name, '--value');
  }

  /** Asks systemd again and again until a property is so. */
  async until(name: string, value: string): Promise<void> {
    while ((await this.property(name)) !== value) await delay(50);
  }

  /** Status of `GET /healthz`, on a connection of its own. */
  health(): Promise<number> {
    return new Promise((resolve, reject) => {
      const { port } = this;
      const sent = request({ host: '127.0.0.1', port, path: '/healthz', agent: false });
      sent.on('error', reject);
      sent.on('response', (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.end();
    });
  }

  /** Sets something for the unit as a person would, with a drop-in of their own. */
  async setting(...lines: string[]): Promise<void> {
    const directory = `${this.machine.home}/.config/systemd/user/waypointd.service.d`;
    const text = ['[Service]', ...lines, ''].join('\n');
    await this.machine.run(['mkdir', '-p', directory]);
    const write = 'printf %s "$2" >"$1/mine.conf"';
    await this.machine.run(['sh', '-c', write, 'sh', directory, text]);
    await this.systemctl('daemon-reload');
  }
}

async function installed(t: ExecutionContext): Promise<Service> {
  const machine = await bootUser(uid);
  t.teardown(() => machine.end());
  const service = new Service(machine, await freePort(), ['--user']);
  // There is no journal here; and a clone, unlike the package, strips types where it has no cache.
  await service.setting(
    'StandardError=append:%t/log',
    'Environment=NODE_COMPILE_CACHE=%t/cache',
    'ReadWritePaths=%t',
  );
  const { code, stdout, stderr } = await service.cli(
    'service',
    'install',
    '--port',
    String(service.port),
  );
  t.is(code, 0, stderr);
  t.regex(stdout, /is installed and runs as your systemd service/u);
  t.regex(stdout, /loginctl enable-linger/u);
  t.notRegex(stdout, /less of a sandbox/u);
  return service;
}

withSystemd('a newcomer installs, watches, stops, starts and uninstalls', async (t) => {
  const service = await installed(t);
  const { machine } = service;
  const status = await service.cli('service', 'status', '--json');
  t.is(status.code, 0, status.stderr);
  t.like(JSON.parse(status.stdout), {
    installed: true,
    enabled: true,
    state: 'running',
    restarts: 0,
    port: service.port,
    port_use: 'waypointd',
    linger: false,
  });
  const again = await service.cli('service', 'install', '--port', String(service.port));
  t.regex(again.stdout, /was installed already/u);
  const runtime = `/run/user/${uid}/waypointd`;
  const modes = await machine.run(['stat', '-c', '%a', runtime, `${runtime}/daemon.json`]);
  t.is(modes.stdout, '700\n600\n');
  t.is((await service.cli('bookmark', 'add', 'Camp', '42.1', '-8.3')).code, 0);

  t.is((await service.cli('service', 'stop')).code, 0);
  t.deepEqual(
    [await service.property('Result'), await service.property('ExecMainStatus')],
    ['success', '0'],
  );
  await t.throwsAsync(service.health(), { code: 'ECONNREFUSED' });
  const stopped = await service.cli('service', 'status');
  t.is(stopped.code, 1);
  t.regex(stopped.stdout, /stopped: it stopped in order \(exit code 0\)/u);
  t.is((await service.cli('service', 'start')).code, 0);
  t.regex((await service.cli('list')).stdout, /Camp/u);

  t.is((await service.cli('service', 'uninstall')).code, 0);
  const config = `${machine.home}/.config/systemd`;
  const left = await machine.run(['find', config, runtime, '-mindepth', '1']);
  t.deepEqual(left.stdout.trim().split('\n').toSorted(), [
    `${config}/user`,
    `${config}/user/waypointd.service.d`,
    `${config}/user/waypointd.service.d/mine.conf`,
  ]);
  t.regex((await service.cli('list')).stdout, /Camp/u, 'the data is still there');
});

withSystemd('a crash, a hang and a port that is taken', async (t) => {
  const service = await installed(t);
  const pid = await service.property('MainPID');
  await service.machine.run(['kill', '-KILL', pid]);
  await service.until('NRestarts', '1');
  await service.until('ActiveState', 'active');
  t.is(await service.health(), 200);
  t.not(await service.property('MainPID'), pid);

  await service.setting('WatchdogSec=2', 'StandardError=append:%t/log', 'ReadWritePaths=%t');
  t.is((await service.cli('service', 'restart')).code, 0);
  await service.machine.run(['kill', '-STOP', await service.property('MainPID')]);
  await service.until('NRestarts', '1');
  await service.until('ActiveState', 'active');
  t.is(await service.health(), 200);

  t.is((await service.cli('service', 'stop')).code, 0);
  const other = createServer().listen(service.port, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  await service.machine.run(['truncate', '-s', '0', `/run/user/${uid}/log`]);
  t.is((await service.cli('service', 'start')).code, 1);
  t.deepEqual(
    [
      await service.property('ActiveState'),
      await service.property('ExecMainStatus'),
      await service.property('NRestarts'),
    ],
    ['failed', '75', '0'],
  );
  const log = await service.machine.run(['cat', `/run/user/${uid}/log`]);
  t.regex(log.stdout, /^waypointd: Port \d+ of 127\.0\.0\.1 is taken [^\n]*\n$/u);
  const status = await service.cli('service', 'status', '--json');
  t.like(JSON.parse(status.stdout), { state: 'failed', port_use: 'other' });
});

withSystemd('no request fails while the service restarts, and the first starts it', async (t) => {
  const service = await installed(t);
  let isOver = false;
  let answered = 0;
  const clients = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      t.is(await service.health(), 200);
      answered += 1;
    }
  });
  for (let round = 0; round < 3; round += 1) {
    await service.systemctl('restart', 'waypointd.service');
    const before = answered;
    while (answered < before + 20) await service.health();
  }
  isOver = true;
  await Promise.all(clients);
  t.true(answered > 60, String(answered));

  const took: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await service.systemctl('stop', 'waypointd.service');
    await service.systemctl('reset-failed', 'waypointd.service');
    const startedAt = performance.now();
    t.is(await service.health(), 200);
    took.push(Math.round(performance.now() - startedAt));
  }
  t.log(`the first answer through the socket after ${took.join(', ')} ms`);
});

withSystemd('the sandbox holds, and what it hides is explained', async (t) => {
  const service = await installed(t);
  const { machine, port } = service;
  const status = await machine.run(['cat', `/proc/${await service.property('MainPID')}/status`]);
  for (const line of [/^NoNewPrivs:\t1$/mu, /^Seccomp:\t2$/mu, /^CapBnd:\t0+$/mu]) {
    t.regex(status.stdout, line);
  }
  const track = join(machine.launcher, '../../fixtures/gpx/version-1.1.gpx');
  for (const folder of [`${machine.home}/trac ks`, `${machine.home}/.ssh`, '/tmp/tracks']) {
    const copy = 'mkdir -p "$1" && cp "$2" "$1"';
    await machine.run(['sh', '-c', copy, 'sh', folder, track]);
  }
  // What is hidden has to be there when the service starts.
  t.is((await service.cli('service', 'restart')).code, 0);
  const home = await service.cli('import', `${machine.home}/trac ks`);
  t.is(home.code, 0, home.stderr);
  const temporary = await service.cli('import', '/tmp/tracks');
  t.is(temporary.code, 1);
  t.regex(temporary.stderr, /a service may see less than you do.*service stop; /u);
  const keys = await service.cli('import', `${machine.home}/.ssh`);
  t.is(keys.code, 1);
  t.regex(keys.stderr, /a service may see less than you do/u);

  const install = ['service', 'install', '--port', String(port), '--no-network'];
  t.is((await service.cli(...install)).code, 0);
  const network = await machine.run(['cat', `/proc/${await service.property('MainPID')}/net/dev`]);
  t.deepEqual(network.stdout.match(/^ *\w+(?=:)/gmu), ['    lo']);
  t.is(await service.health(), 200);
  const { stdout } = await service.cli('list', '--json');
  t.true(JSON.parse(stdout).length > 0);
});

withSystemd('the service of the machine runs under a user of its own', async (t) => {
  const machine = await bootMachine(temporaryDirectory(t));
  t.teardown(() => machine.end());
  const service = new Service(machine, await freePort(), []);
  const port = String(service.port);
  const { code, stdout, stderr } = await service.cli(
    'service',
    'install',
    '--system',
    '--port',
    port,
  );
  t.is(code, 0, stderr);
  t.regex(stdout, /cannot see home directories/u);
  const pid = await service.property('MainPID');
  const { stdout: status } = await machine.run(['cat', `/proc/${pid}/status`]);
  t.notRegex(status, /^Uid:\t0\t/mu);
  const modes = await machine.run([
    'stat',
    '-c',
    '%a',
    '/var/lib/private/waypointd',
    '/run/waypointd',
  ]);
  t.is(modes.stdout, '700\n700\n');
  await machine.run(['kill', '-KILL', pid]);
  await service.until('NRestarts', '1');
  await service.until('ActiveState', 'active');
  t.is(await service.health(), 200);
  const logs = await service.cli('service', 'logs', '--system');
  t.regex(logs.stdout, /waypointd\[\d+\]: \{"level":"info".*"daemon\.ready"/u);
  t.is((await service.cli('service', 'uninstall', '--system')).code, 0);
  const left = await machine.run(['find', '/etc/systemd/system', '/run', '-name', 'waypointd*']);
  t.is(left.stdout, '');
  const data = await machine.run(['ls', '/var/lib/private/waypointd']);
  t.regex(data.stdout, /waypoints\.sqlite/u);
});
