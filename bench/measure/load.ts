import { HttpConnection, type HttpRequest } from './http-connection.ts';

export interface LoadOptions {
  readonly request: HttpRequest;
  readonly connections: number;
  readonly durationMs: number;
}

/**
 * Sends one request over and over on several kept-alive connections; every connection waits for its answer.
 * @returns how many were answered.
 */
export async function load(options: LoadOptions): Promise<number> {
  const { request, connections, durationMs } = options;
  const all = Array.from({ length: connections }, () => new HttpConnection());
  const end = performance.now() + durationMs;
  let answered = 0;
  try {
    await Promise.all(
      all.map(async (connection) => {
        while (performance.now() < end) {
          const answer = await connection.send(request);
          if (answer.status >= 400) throw new Error(`the server answered ${answer.status}`);
          answered += 1;
        }
      }),
    );
  } finally {
    for (const connection of all) connection.close();
  }
  return answered;
}
