import { parentPort, Worker, workerData } from 'node:worker_threads';
import { limits } from '../../model/limits.ts';
import { HttpConnection, type HttpAnswer } from './http-connection.ts';
import { percentile } from './statistics.ts';

/** What a probe is told. */
export interface ProbeTask {
  readonly port: number;
  readonly request: Buffer;
  /** A request is due this often, whether or not the ones before were answered. */
  readonly intervalMs: number;
}

/** Beyond this many waiting requests no new ones are sent: a server ends connections that have said nothing yet. */
const mostConnections = limits.strangers - 4;
/** An answer that is later than this after the end counts as this late. */
const longestWaitMs = 30_000;

/**
 * Asks a server at a steady pace from a thread of its own until it is stopped. A server that stands still for half a
 * second is late for every request that fell due meanwhile, not for one alone, and what this process does elsewhere is
 * not counted.
 */
export class LatencyProbe {
  readonly #worker: Worker;
  readonly #started: Promise<void>;
  readonly #latencies: Promise<number[]>;

  constructor(task: ProbeTask) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { probe: task } });
    const started = Promise.withResolvers<void>();
    this.#started = started.promise;
    this.#latencies = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: number[] | 'started') => {
        if (message === 'started') started.resolve();
        else resolve(message);
      });
      this.#worker.once('error', reject);
    });
    // An early failure is reported by finish().
    this.#latencies.catch(() => undefined);
  }

  /** Resolves when the first request, which is not counted, was answered: from then on nothing is missed. */
  async started(): Promise<void> {
    await Promise.race([this.#started, this.#latencies]);
  }

  /** Ends it; to be called exactly once. NaN where nothing was counted. @throws Error when a request was not answered. */
  async finish(): Promise<{ p99Ms: number; slowestMs: number }> {
    this.#worker.postMessage('stop');
    const latencies = await this.#latencies;
    await this.stop();
    return { p99Ms: percentile(latencies, 0.99), slowestMs: percentile(latencies, 1) };
  }

  /** Ends it whatever it saw. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** What the thread does. What is still under way at the end is waited for: it may be the slowest of all. */
function probe({ port, request: bytes, intervalMs }: ProbeTask): void {
  const request = Buffer.from(bytes);
  const latencies: number[] = [];
  const idle: HttpConnection[] = [];
  const waiting = new Set<Promise<void>>();
  let isFirst = true;
  let due = performance.now() + intervalMs;
  const ask = async (): Promise<void> => {
    const started = performance.now();
    let connection = idle.pop();
    const askAnew = async (): Promise<HttpAnswer> => {
      connection = await HttpConnection.open(port);
      return connection.send(request);
    };
    // A server that stood still for seconds ends connections that were idle meanwhile.
    const { status } =
      connection?.isFresh === true
        ? await connection.send(request).catch(askAnew)
        : await askAnew();
    if (isFirst) parentPort?.postMessage('started');
    else latencies.push(performance.now() - started);
    isFirst = false;
    if (status !== 200) throw new Error(`the server answered ${status}`);
    if (connection !== undefined) idle.push(connection);
  };
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += intervalMs) {
      if (waiting.size >= mostConnections) continue;
      const asked: Promise<void> = ask().finally(() => waiting.delete(asked));
      waiting.add(asked);
    }
  }, 1);
  parentPort?.once('message', () => {
    clearInterval(timer);
    const late = setTimeout(() => finish(waiting.size), longestWaitMs);
    void Promise.all(waiting).then(() => {
      clearTimeout(late);
      finish(0);
    });
  });
  const finish = (missing: number): void => {
    parentPort?.postMessage([
      ...latencies,
      ...Array.from({ length: missing }, () => longestWaitMs),
    ]);
  };
}

// Sound: LatencyProbe alone gives a thread that; tests run in threads of others.
const task = (workerData as { probe?: ProbeTask } | null)?.probe;
if (task !== undefined) probe(task);
