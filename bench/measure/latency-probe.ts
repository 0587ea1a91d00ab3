import { parentPort, Worker, workerData } from 'node:worker_threads';
import { limits } from '../../model/limits.ts';
import { HttpConnection, type HttpRequest } from './http-connection.ts';
import { percentile } from './statistics.ts';

/** Settings of a probe. */
export interface ProbeTask {
  readonly request: HttpRequest;
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
  readonly #latencies: Promise<number[]>;

  constructor(task: ProbeTask) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { probe: task } });
    this.#latencies = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    });
    // An early failure is reported by finish().
    this.#latencies.catch(() => undefined);
  }

  /** Ends it; to be called exactly once. NaN where nothing was counted. @throws Error when a request was not answered. */
  async finish(): Promise<{ p99Ms: number }> {
    this.#worker.postMessage('stop');
    const latencies = await this.#latencies;
    await this.stop();
    return { p99Ms: percentile(latencies, 0.99) };
  }

  /** Ends it whatever it saw. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Runs in the thread. Requests under way at the end are waited for: one may be the slowest of all. */
function probe({ request, intervalMs }: ProbeTask): void {
  const latencies: number[] = [];
  const connections = new HttpConnection(mostConnections);
  const waiting = new Set<Promise<void>>();
  let isFirst = true;
  let due = performance.now() + intervalMs;
  const ask = async (): Promise<void> => {
    const { status, totalMs } = await connections.send(request);
    // The first one pays for the connection.
    if (!isFirst) latencies.push(totalMs);
    isFirst = false;
    if (status !== 200) throw new Error(`the server answered ${status}`);
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
