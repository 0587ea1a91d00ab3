import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOf, forgetPeak, processCost } from '../measure/process-cost.ts';

const launcher = resolve(import.meta.dirname, '../../bin/waypointd.js');
const longestStartMs = 60_000;
const longestStopMs = 30_000;
const attempts = 3;

/** A server of large files as a process of its own, ours or the peer. */
export class FileServer {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #pids: () => number[];

  private constructor(child: ChildProcess, port: number, pids: () => number[]) {
    // One that cannot be started at all has an exit code, which is looked at.
    child.once('error', () => undefined);
    this.#child = child;
    this.port = port;
    this.#pids = pids;
  }

  /** Starts `waypointd objects serve` on a store. */
  static objects(root: string): Promise<FileServer> {
    const places = ['data', 'cache', 'runtime'].flatMap((name) => [
      `--${name}-dir`,
      join(root, name),
    ]);
    return FileServer.#start((port) => {
      const where = ['--listen', `127.0.0.1:${port}`, '--root', root];
      const child = spawn(process.execPath, [launcher, 'objects', 'serve', ...where, ...places], {
        stdio: ['ignore', 'ignore', 'ignore'],
        env: { PATH: process.env['PATH'], HOME: root },
      });
      return new FileServer(child, port, () => [child.pid ?? 0]);
    });
  }

  /** Starts nginx, one worker, with DAV uploads into `directory`. */
  static nginx(directory: string): Promise<FileServer> {
    for (const name of ['html', 'body']) mkdirSync(join(directory, name), { recursive: true });
    const conf = join(directory, 'nginx.conf');
    return FileServer.#start((port) => {
      writeFileSync(conf, nginxConf(directory, port));
      const child = spawn('nginx', ['-c', conf, '-p', directory], { stdio: 'ignore' });
      const master = child.pid ?? 0;
      return new FileServer(child, port, () => childrenOf(master));
    });
  }

  /** Tries other ports: one that was free a moment ago may be taken, be it by a connection of ours. */
  static async #start(launch: (port: number) => FileServer): Promise<FileServer> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const server = launch(await freePort());
      if (await server.#isReady()) return server;
      await server.stop();
    }
    throw new Error('a file server did not start');
  }

  async #isReady(): Promise<boolean> {
    const end = performance.now() + longestStartMs;
    while (performance.now() < end && !this.#hasEnded()) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => undefined);
      if (answer !== undefined) return !this.#hasEnded();
      await wait(20);
    }
    return false;
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** CPU time so far, ms; undefined where it cannot be measured. */
  cpuMs(): number | undefined {
    const all = this.#pids().map((pid) => cpuMsOf(pid));
    return all.length === 0 || all.includes(undefined)
      ? undefined
      : all.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  }

  /** The most memory since {@link forgetPeak}. */
  peakMb(): number | undefined {
    return processCost(this.#pids()[0] ?? 0)?.peakResidentMb;
  }

  /** @returns what it holds, MB; undefined where a peak from here on cannot be measured. */
  forgetPeak(): number | undefined {
    return forgetPeak(this.#pids()[0] ?? 0);
  }

  async stop(): Promise<void> {
    if (this.#hasEnded()) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), longestStopMs);
    await ended;
    clearTimeout(timer);
  }
}

/** The processes that one has started; none where that cannot be seen. */
function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return list === '' ? [] : list.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Whether a program can be run here. */
export function isInstalled(program: string, versionFlag: string): boolean {
  return spawnSync(program, [versionFlag]).status === 0;
}

function nginxConf(directory: string, port: number): string {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/errors;
events { worker_connections 512; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000;
  client_max_body_size 0; client_body_temp_path ${directory}/body;
  server { listen 127.0.0.1:${port}; root ${directory}/html; location / { dav_methods PUT; } }
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
