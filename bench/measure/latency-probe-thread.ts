import { parentPort, workerData } from 'node:worker_threads';
import { HttpConnection, type HttpAnswer } from './http-connection.ts';
import type { ProbeTask } from './latency-probe.ts';

// Sound: LatencyProbe alone starts this thread.
const { port, request: bytes, intervalMs } = workerData as ProbeTask;
const request = Buffer.from(bytes);
/** Below the server's own limit of connections; beyond this many waiting requests no new ones are sent. */
const mostConnections = 200;
/** An answer that is later than this after the end counts as this late. */
const longestWaitMs = 30_000;

const latencies: number[] = [];
const idle: HttpConnection[] = [];
const failures: unknown[] = [];
let open = 0;
let due = performance.now() + intervalMs;
let isStopping = false;

async function ask(): Promise<void> {
  const started = performance.now();
  const known = freshConnection();
  const connection = known ?? (await openConnection());
  let answer: HttpAnswer;
  try {
    answer = await connection.send(request);
  } catch (error) {
    open -= 1;
    // A server may end a connection that was idle at the very moment of the next request.
    if (known === undefined) throw error;
    return askAnew(started);
  }
  take(connection, answer, started);
}

async function askAnew(started: number): Promise<void> {
  const connection = await openConnection();
  take(connection, await connection.send(request), started);
}

function take(connection: HttpConnection, { status }: HttpAnswer, started: number): void {
  latencies.push(performance.now() - started);
  if (status !== 200) throw new Error(`the server answered ${status}`);
  idle.push(connection);
}

function freshConnection(): HttpConnection | undefined {
  for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
    if (last.isFresh) return last;
    last.close();
    open -= 1;
  }
  return undefined;
}

function openConnection(): Promise<HttpConnection> {
  open += 1;
  return HttpConnection.open(port);
}

function askWhatIsDue(): void {
  while (due <= performance.now() && !isStopping) {
    due += intervalMs;
    if (idle.length === 0 && open >= mostConnections) continue;
    ask().catch((error: unknown) => failures.push(error));
  }
}

const timer = setInterval(askWhatIsDue, 1);

parentPort?.once('message', () => {
  isStopping = true;
  clearInterval(timer);
  // What is still under way is waited for: it may be the slowest of all.
  const stopped = performance.now();
  const wait = setInterval(() => {
    const missing = open - idle.length;
    if (missing > 0 && failures.length === 0 && performance.now() - stopped < longestWaitMs) return;
    clearInterval(wait);
    if (failures.length > 0) throw failures[0];
    for (let i = 0; i < missing; i += 1) latencies.push(longestWaitMs);
    parentPort?.postMessage(latencies);
    for (const connection of idle) connection.close();
  }, 1);
});
