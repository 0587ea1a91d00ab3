import { HttpConnection } from './http-connection.ts';
import { percentile } from './statistics.ts';

/** How a server did under load. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly request: Buffer;
  readonly connections: number;
  readonly durationMs: number;
}

/** Sends one request over and over on several kept-alive connections; every connection waits for its answer. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, request, connections, durationMs } = options;
  const all = await Promise.all(
    Array.from({ length: connections }, () => HttpConnection.open(port)),
  );
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + durationMs;
  try {
    await Promise.all(
      all.map(async (connection) => {
        while (performance.now() < end) {
          const answer = await connection.send(request);
          if (answer.status >= 400) throw new Error(`the server answered ${answer.status}`);
          latencies.push(answer.totalMs);
        }
      }),
    );
  } finally {
    for (const connection of all) connection.close();
  }
  const seconds = (performance.now() - started) / 1_000;
  return {
    requests: latencies.length,
    requestsPerSecond: latencies.length / seconds,
    p99Ms: percentile(latencies, 0.99),
  };
}
