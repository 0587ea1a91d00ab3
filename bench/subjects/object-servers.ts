import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOf, forgetPeak, processCost } from '../measure/process-cost.ts';

const launcher = resolve(import.meta.dirname, '../../bin/waypointd.js');
const longestStartMs = 20_000;

/** A server of large files as a process of its own, ours or the peer. */
export class FileServer {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #pids: () => number[];

  private constructor(child: ChildProcess, port: number, pids: () => number[]) {
    this.#child = child;
    this.port = port;
    this.#pids = pids;
  }

  /** Starts `waypointd objects serve` on a store. */
  static async objects(root: string): Promise<FileServer> {
    const port = await freePort();
    const places = ['data', 'cache', 'runtime'].flatMap((name) => [
      `--${name}-dir`,
      join(root, name),
    ]);
    const words = ['objects', 'serve', '--listen', `127.0.0.1:${port}`, '--root', root, ...places];
    const child = spawn(process.execPath, [launcher, ...words], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: root },
    });
    return FileServer.#ready(new FileServer(child, port, () => [child.pid ?? 0]));
  }

  /** Starts nginx, one worker, with DAV uploads into `directory`. */
  static async nginx(directory: string): Promise<FileServer> {
    const port = await freePort();
    for (const name of ['html', 'body']) mkdirSync(join(directory, name), { recursive: true });
    const conf = join(directory, 'nginx.conf');
    writeFileSync(conf, nginxConf(directory, port));
    const child = spawn('nginx', ['-c', conf, '-p', directory], { stdio: 'ignore' });
    const master = child.pid ?? 0;
    const pids = (): number[] =>
      readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number);
    return FileServer.#ready(new FileServer(child, port, pids));
  }

  static async #ready(server: FileServer): Promise<FileServer> {
    const end = performance.now() + longestStartMs;
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/healthz`).catch(() => undefined);
      if (answer !== undefined) return server;
      if (performance.now() > end || server.#child.exitCode !== null) {
        await server.stop();
        throw new Error('a file server did not start');
      }
      await wait(20);
    }
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** CPU time so far, ms; undefined where it cannot be measured. */
  cpuMs(): number | undefined {
    const all = this.#pids().map((pid) => cpuMsOf(pid));
    return all.includes(undefined)
      ? undefined
      : all.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  }

  residentMb(): number | undefined {
    return processCost(this.#pids()[0] ?? 0)?.residentMb;
  }

  /** The most memory since {@link forgetPeak}. */
  peakMb(): number | undefined {
    return processCost(this.#pids()[0] ?? 0)?.peakResidentMb;
  }

  forgetPeak(): void {
    forgetPeak(this.#pids()[0] ?? 0);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
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
