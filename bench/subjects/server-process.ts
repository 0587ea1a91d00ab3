import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { importResultSchema, type ImportResult } from '../../model/import.ts';
import {
  HttpConnection,
  requestOf,
  type HttpAnswer,
  type HttpRequest,
} from '../measure/http-connection.ts';
import { cpuMsOf, preciseCpuMs, processCost, type ProcessCost } from '../measure/process-cost.ts';

/** Line that both servers write once they listen. */
interface HandOver {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** A path with the headers of the request, if there are more than the token. */
export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly keepBody?: boolean;
}

const project = resolve(import.meta.dirname, '../..');
const lookEveryMs = 1;
const longestStartMs = 60_000;
const longestStopMs = 30_000;

/** A server that runs as a process of its own on directories of its own; {@link stop} has to be called. */
export class ServerProcess {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  /** Wall time from the start of the process until its hand-over file was there. */
  readonly readyMs: number;
  /** CPU time until then; undefined where it cannot be measured. */
  readonly readyCpuMs: number | undefined;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #connection = new HttpConnection();

  private constructor(
    { child, logFile }: { readonly child: ChildProcess; readonly logFile: string },
    { pid, port, token }: HandOver,
    [readyMs, readyCpuMs]: readonly [wall: number, cpu: number | undefined],
  ) {
    this.#child = child;
    this.#logFile = logFile;
    this.pid = pid;
    this.port = port;
    this.token = token;
    this.readyMs = readyMs;
    this.readyCpuMs = readyCpuMs;
  }

  /**
   * Starts the daemon with its stores, cache and hand-over file below `root`.
   * @throws Error with the end of its log when it does not get ready.
   */
  static startDaemon(root: string): Promise<ServerProcess> {
    return ServerProcess.#start(root, [launcherIn(root), 'serve', '--port', '0', ...flagsOf(root)]);
  }

  /** Starts the object server on the store in `root`; it has no token. */
  static startObjects(root: string): Promise<ServerProcess> {
    const where = ['--listen', '127.0.0.1:0', '--root', root];
    const words = [launcherIn(root), 'objects', 'serve', ...where, ...flagsOf(root)];
    const readyIn = (log: string, pid: number): HandOver | undefined => {
      const port = /"port":(\d+)/.exec(readFileSync(log, 'utf8'))?.[1];
      return port === undefined ? undefined : { pid, port: Number(port), token: '' };
    };
    return ServerProcess.#start(root, words, readyIn);
  }

  /** Starts the bare server that others are compared with: of `node:http` alone, or with Koa. */
  static startBare(root: string, kind?: 'koa'): Promise<ServerProcess> {
    const script = join(import.meta.dirname, 'bare-server.js');
    const words = [script, join(root, 'runtime')];
    return ServerProcess.#start(root, kind === undefined ? words : [...words, kind]);
  }

  /** @param readyIn how it is seen that the server is ready, instead of by its hand-over file. */
  static async #start(
    root: string,
    words: readonly string[],
    readyIn?: (log: string, pid: number) => HandOver | undefined,
  ): Promise<ServerProcess> {
    const runtime = join(root, 'runtime');
    mkdirSync(runtime, { recursive: true, mode: 0o700 });
    const file = join(runtime, 'daemon.json');
    rmSync(file, { force: true });
    const logFile = join(root, 'log');
    const log = openSync(logFile, 'w');
    const started = performance.now();
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', log, log],
      env: environment(root),
    });
    closeSync(log);
    // Sound: the servers write these three fields, and the file appears whole.
    const handedOver = (): HandOver | undefined =>
      existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as HandOver) : undefined;
    for (;;) {
      const ready = readyIn === undefined ? handedOver() : readyIn(logFile, child.pid ?? 0);
      if (ready !== undefined) {
        const readyMs = performance.now() - started;
        return new ServerProcess({ child, logFile }, ready, [readyMs, preciseCpuMs(ready.pid)]);
      }
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || performance.now() - started > longestStartMs) {
        child.kill('SIGKILL');
        throw new Error(`a server did not start:\n${endOf(logFile)}`);
      }
      await wait(lookEveryMs);
    }
  }

  /** Cost so far; undefined where that cannot be measured. */
  cost(): ProcessCost | undefined {
    return processCost(this.pid);
  }

  /** CPU time so far, ms; undefined where it cannot be measured. */
  cpuMs(): number | undefined {
    return cpuMsOf(this.pid);
  }

  /** A GET with the token, for {@link load} and {@link LatencyProbe}. */
  request(path: string, headers: Readonly<Record<string, string>> = {}): HttpRequest {
    return requestOf({ path, headers, port: this.port, token: this.token });
  }

  /** @throws Error for an answer of 400 and above. */
  async get(
    path: string,
    { headers = {}, keepBody = false }: GetOptions = {},
  ): Promise<HttpAnswer> {
    return this.#checked(await this.#connection.send(this.request(path, headers), keepBody));
  }

  /** Imports a directory with everything below it. @throws Error when a file was refused. */
  async importDirectory(directory: string): Promise<ImportResult> {
    const body = { dir: directory, recursive: true };
    const result = importResultSchema.parse(await this.call('POST', '/api/import', body));
    if (result.failed > 0 || result.unsupported > 0 || result.files + result.duplicates === 0) {
      throw new Error(`a generated directory was not imported: ${JSON.stringify(result)}`);
    }
    return result;
  }

  /**
   * Calls a route with a JSON body, or none, on a new connection: what changes something cannot be sent twice.
   * @throws Error for an answer of 400 and above.
   */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { port, token } = this;
    const connection = new HttpConnection();
    const answer = await connection.send(requestOf({ method, path, port, token, body }), true);
    connection.close();
    return JSON.parse(this.#checked(answer).body);
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    this.#connection.close();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), longestStopMs);
    await ended;
    clearTimeout(timer);
  }

  #checked(answer: HttpAnswer): HttpAnswer {
    if (answer.status >= 400) {
      throw new Error(`the server answered ${answer.status}:\n${endOf(this.#logFile)}`);
    }
    return answer;
  }
}

function flagsOf(root: string): string[] {
  return ['data', 'cache', 'runtime'].flatMap((name) => [`--${name}-dir`, join(root, name)]);
}

/** The program as it is installed: a clone looks at every source first, to see whether its bundle is new enough. */
function launcherIn(root: string): string {
  const bin = join(root, 'program', 'bin');
  if (!existsSync(bin)) {
    cpSync(join(project, 'bin'), bin, { recursive: true });
    symlinkSync(join(project, 'dist'), join(root, 'program', 'dist'), 'junction');
    writeFileSync(join(root, 'program', 'package.json'), '{"type":"module"}');
  }
  return join(bin, 'waypointd.js');
}

function endOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').slice(-1_000);
}

/** Keeps the user's own configuration and directories out. */
function environment(root: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:WAYPOINTD_|XDG_|NODE_OPTIONS$|npm_)|_DIRECTORY$/.test(name),
  );
  return { ...Object.fromEntries(kept), HOME: root, USERPROFILE: root, APPDATA: root };
}
