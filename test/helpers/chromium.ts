import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
/** The browser's program; undefined where there is none. */
export const chromium = names.find((name) => spawnSync(name, ['--version']).status === 0);

/** A tab of a browser. */
export interface Page {
  /** Runs a script, waits for its promise, and gives its value, which must be JSON. */
  evaluate<T>(script: string): Promise<T>;
  /** Runs a script again and again until its value is true, over loads of the page as well. */
  until(script: string): Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface Chromium {
  readonly open: (url: string) => Promise<Page>;
  readonly close: () => Promise<void>;
}

/** Starts a browser without a window and with nothing in it. */
export function startChromium(): Chromium {
  const profile = mkdtempSync(join(tmpdir(), 'waypointd-chromium-'));
  const child = spawn(
    chromium ?? '',
    [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-dev-shm-usage',
      // The sandbox needs what root in a container has not; the pages here are ours.
      '--no-sandbox',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise((resolve) => child.on('close', resolve));
  const call = protocol(child.stdio[3] as Duplex, child.stdio[4] as Duplex);
  return {
    async open(url) {
      const { targetId } = await call<{ targetId: string }>('Target.createTarget', { url });
      const attach = { targetId, flatten: true };
      const { sessionId } = await call<{ sessionId: string }>('Target.attachToTarget', attach);
      return page((method, params) => call(method, params, sessionId));
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Call = <T>(method: string, params: object, sessionId?: string) => Promise<T>;

/** The DevTools protocol over pipes: JSON texts that end in a NUL. */
function protocol(requests: Duplex, replies: Duplex): Call {
  const waiting = new Map<number, (reply: Reply) => void>();
  let rest = '';
  let last = 0;
  replies.setEncoding('utf8');
  replies.on('data', (piece: string) => {
    const texts = (rest + piece).split('\0');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const reply = JSON.parse(text) as Reply;
      if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
    }
  });
  requests.on('error', () => {});
  return async <T>(method: string, params: object, sessionId?: string) => {
    const id = (last += 1);
    const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    requests.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await answered;
    waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
}

function page(call: (method: string, params: object) => Promise<unknown>): Page {
  async function evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as Evaluated;
    if (exceptionDetails === undefined) return result.value as T;
    throw new Error(exceptionDetails.exception?.description ?? 'the script failed');
  }
  return {
    evaluate,
    async until(script) {
      while (!(await evaluate<boolean>(script).catch(falseWhileLoading))) await setImmediate();
    },
  };
}

/** Between two documents there is nothing to run a script in. */
function falseWhileLoading(error: Error): boolean {
  if (/execution context/iu.test(error.message)) return false;
  throw error;
}
