import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finish, untilPrinted } from './cli.ts';

const project = resolve(import.meta.dirname, '..', '..');
const programs = join(project, 'test', 'programs');
/** Blank, letters outside ASCII, and what means something to systemd, a shell and XML. */
const mountpoint = '/opt/wäy point 100% & <co>;#';
const home = '/home/Zoë & co 5%';
const bootMs = 15_000;

const systemd = ['/usr/lib/systemd/systemd', '/lib/systemd/systemd'].find((path) =>
  existsSync(path),
);

/** Why no systemd can be booted here; undefined where it can. */
export function whyNoSystemd(): string | undefined {
  if (systemd === undefined) return 'no systemd';
  if (process.getuid?.() !== 0) return 'not root';
  for (const program of ['unshare', 'nsenter', 'setpriv', 'systemctl', 'systemd-notify']) {
    if (spawnSync(program, ['--version']).error !== undefined) return `no ${program}`;
  }
  if (cgroups() === undefined) return 'no cgroup2';
  const probe = 'mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && umount -l /sys/fs/cgroup';
  const words = ['--mount', '--pid', '--fork', '--cgroup', 'sh', '-c', probe];
  return spawnSync('unshare', words).status === 0 ? undefined : 'no namespaces';
}

/** Boots the systemd of an ordinary user. @param uid of nobody on this machine. */
export async function bootUser(uid: number) {
  const script = [join(programs, 'systemd-user.sh'), systemd ?? '', String(uid)];
  const { child, cgroup } = unshare([], [...script, home, project, mountpoint]);
  await untilPrinted(child.stdout, /booted/u);
  const env = {
    HOME: home,
    XDG_RUNTIME_DIR: `/run/user/${uid}`,
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  };
  const who = ['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'];
  return namespace(child, { flags: ['-m', '-p', '-C'], who, env, cgroup });
}

/** Boots a whole machine, root's. @param base an empty directory for its files. */
export async function bootMachine(base: string) {
  const script = [join(programs, 'systemd-machine.sh'), systemd ?? ''];
  const { child, cgroup } = unshare(['--ipc', '--uts'], [...script, project, mountpoint, base]);
  const env = { HOME: '/root', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const flags = ['-m', '-p', '-i', '-u', '-C', '-r', '-w'];
  const machine = namespace(child, { flags, env, cgroup });
  const startedAt = performance.now();
  for (;;) {
    const { stdout } = await machine.run(['systemctl', 'is-system-running']);
    if (/running|degraded/u.test(stdout)) return machine;
    if (performance.now() - startedAt > bootMs) {
      await machine.end();
      throw new Error('the machine does not boot');
    }
    await delay(50);
  }
}

let booted = 0;

/** Starts a script in new namespaces and in a control group of its own, which is the root of what it sees. */
function unshare(more: readonly string[], script: readonly string[]) {
  booted += 1;
  const cgroup = join(cgroups() ?? '', `waypointd-test-${process.pid}-${booted}`);
  mkdirSync(cgroup);
  const enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"';
  const flags = ['--mount', '--pid', '--fork', '--cgroup', '--kill-child', ...more];
  const words = ['-c', enter, cgroup, 'unshare', ...flags, ...script];
  const child = spawn('sh', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  return { child, cgroup };
}

/** The directory of this process in the hierarchy of version 2. */
function cgroups(): string | undefined {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  const mount = /^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 /mu.exec(mounts)?.[1];
  const own = /^0::(.*)$/mu.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  return mount === undefined || own === undefined ? undefined : join(mount, own);
}

interface Inside {
  /** Which namespaces nsenter enters. */
  readonly flags: readonly string[];
  readonly who?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cgroup: string;
}

/** systemd in namespaces of its own, and this project in there. */
function namespace(child: ChildProcess, { flags, who = [], env, cgroup }: Inside) {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const bundled = join('node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  const node = existsSync(join(project, bundled)) ? join(mountpoint, bundled) : process.execPath;
  return {
    /** The launcher and a Node.js that runs it, as seen from inside. */
    launcher: join(mountpoint, 'bin', 'waypointd.js'),
    node,
    home: env['HOME'] ?? '/',
    /** Runs a program inside, as the user whose systemd it is. */
    run: (words: readonly string[]) => {
      const inner = firstChild(child.pid ?? 0);
      const entered = ['-t', String(inner), ...flags, ...who, 'env', '-i', ...variables, ...words];
      return finish(spawn('nsenter', entered, { stdio: ['ignore', 'pipe', 'pipe'] }));
    },
    /** Ends everything inside. */
    end: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      // unshare itself ignores signals; with the first process of a PID namespace all others end.
      const inner = firstChild(child.pid ?? 0);
      if (inner !== undefined) process.kill(inner, 'SIGKILL');
      else child.kill('SIGKILL');
      await ended;
      removeCgroup(cgroup);
    },
  };
}

export type Namespace = ReturnType<typeof namespace>;

function firstChild(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? undefined : Number(children.split(' ')[0]);
  } catch {
    return undefined; // Gone.
  }
}

/** The kernel keeps the groups that a systemd has made; empty ones can be removed like directories. */
function removeCgroup(top: string): void {
  const directories = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const directory of [top, ...directories].toSorted().toReversed()) {
    try {
      rmdirSync(directory);
    } catch {
      // A process of it is still ending: an empty group costs nothing.
    }
  }
}
