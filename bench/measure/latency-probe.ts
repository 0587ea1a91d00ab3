import { Worker } from 'node:worker_threads';
import { percentile } from './statistics.ts';

/** What a probe is told. */
export interface ProbeTask {
  readonly port: number;
  readonly request: Buffer;
  /** A request is due this often, whether or not the ones before were answered. */
  readonly intervalMs: number;
}

/** What a probe saw; NaN where nothing was answered while it ran. */
export interface ProbeResult {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/**
 * Asks a server at a steady pace from a thread of its own until it is stopped. A server that stands still for half a
 * second is late for every request that fell due meanwhile, not for one alone, and what this process does elsewhere is
 * not counted.
 */
export class LatencyProbe {
  readonly #worker: Worker;
  readonly #result: Promise<number[]>;

  constructor(task: ProbeTask) {
    const script = new URL('latency-probe-thread.ts', import.meta.url);
    this.#worker = new Worker(script, { workerData: task });
    this.#result = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    });
    // An early failure is reported by finish().
    this.#result.catch(() => undefined);
  }

  /** Ends it; to be called exactly once. @throws Error when a request was not answered. */
  async finish(): Promise<ProbeResult> {
    this.#worker.postMessage('stop');
    const latencies = await this.#result;
    await this.stop();
    return {
      requests: latencies.length,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      maxMs: percentile(latencies, 1),
    };
  }

  /** Ends it whatever it saw. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
