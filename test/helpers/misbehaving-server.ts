import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import type { Certificate } from './certificate.ts';

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Act = (response: ServerResponse, heard: Heard) => unknown;
/** What of the object API a request is for. */
export type Step = 'find' | 'announce' | 'put' | 'get' | 'verify' | 'other';

/** What the server does at the first request of a step, at the second, and so on; afterwards it behaves. */
export type Script = Partial<Record<Step, readonly Act[]>>;

export interface MisbehavingOptions {
  readonly content?: Buffer;
  readonly script?: Script;
  readonly tls?: Certificate;
  /** Headers of its links. */
  readonly header?: Readonly<Record<string, string>>;
}

/** Starts a server with one repository and one object, which does as it should but for its script. */
export async function startMisbehavingServer(
  t: ExecutionContext<unknown>,
  { content = Buffer.alloc(0), script = {}, tls, header }: MisbehavingOptions = {},
) {
  const heard: Heard[] = [];
  const steps: Step[] = [];
  const server = tls === undefined ? createServer() : createTlsServer({ ...tls });
  // A connection ends when somebody ends it.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const good = goodActs(origin, content, header);
  server.on('request', (request, response: ServerResponse) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const step = stepOf(method, path);
    const nth = steps.filter((one) => one === step).length;
    steps.push(step);
    const act = script[step]?.[nth] ?? good[step];
    // What comes of a body that is cut off is heard, too.
    const body = isEarly(act) ? Buffer.alloc(0) : await buffer(request).catch(() => undefined);
    const all = { method, path, headers, body: body ?? Buffer.alloc(0) };
    heard.push(all);
    await act(response, all);
  }
  return {
    origin,
    /** URL of its repository. */
    url: `${origin}/owner/name`,
    /** Every request so far. */
    heard,
    /** Those of one step. */
    of: (step: Step) => heard.filter((_, at) => steps[at] === step),
    /** Where its content is. */
    contentUrl: `${origin}/content`,
  };
}

export type MisbehavingServer = Awaited<ReturnType<typeof startMisbehavingServer>>;

function stepOf(method: string, path: string): Step {
  if (path.startsWith('/owner/name/objects/')) return 'find';
  if (path === '/owner/name/objects') return 'announce';
  if (path === '/verify') return 'verify';
  if (path !== '/content') return 'other';
  return method === 'PUT' ? 'put' : 'get';
}

function goodActs(
  origin: string,
  content: Buffer,
  header: MisbehavingOptions['header'],
): Record<Step, Act> {
  const oid = createHash('sha256').update(content).digest('hex');
  const link = (path: string) => ({ href: origin + path, ...(header && { header }) });
  return {
    find: json(200, { oid, size: content.length, _links: { download: link('/content') } }),
    announce: json(202, { _links: { upload: link('/content'), verify: link('/verify') } }),
    put: json(200, {}),
    verify: json(200, {}),
    get: (response, heard) => serve(content)(response, heard),
    other: json(404, { message: 'There is nothing here.' }),
  };
}

/** Answers with JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Act {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/vnd.x-lfs+json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Sends a content as a good server does, from where it was asked for. */
export function serve(content: Buffer): Act {
  return (response, { headers }) => {
    const start = Number(/^bytes=(\d+)-$/u.exec(headers.range ?? '')?.[1] ?? 0);
    const end = content.length - 1;
    const length = { 'content-length': content.length - start };
    if (start === 0) response.writeHead(200, length);
    else {
      response.writeHead(206, {
        ...length,
        'content-range': `bytes ${start}-${end}/${content.length}`,
      });
    }
    response.end(content.subarray(start));
  };
}

/** Sends a head of one's own and then these bytes, as they are. */
export function send(
  status: number,
  body: Buffer | string,
  headers: Readonly<Record<string, string | number>> = {},
): Act {
  return (response) => {
    response.writeHead(status, { ...headers });
    response.end(body);
  };
}

/** Announces a whole content, sends its beginning and ends the connection. */
export function cutAfter(content: Buffer, bytes: number): Act {
  return begin(content, bytes, (response) => response.socket?.destroy());
}

/** Announces a whole content, sends its beginning and then nothing, for ever. */
export function stallAfter(content: Buffer, bytes: number): Act {
  return begin(content, bytes, () => undefined);
}

function begin(content: Buffer, bytes: number, then: (response: ServerResponse) => unknown): Act {
  return (response, { headers }) => {
    const start = Number(/^bytes=(\d+)-$/u.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start === 0 ? 200 : 206, {
      'content-length': content.length - start,
      'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
    });
    response.flushHeaders();
    if (bytes === 0) return then(response);
    response.write(content.subarray(start, start + bytes), () => then(response));
    return undefined;
  };
}

/** Never answers. */
export const silence: Act = () => undefined;

/** Ends the connection instead of an answer. */
export const hangUp: Act = (response) => response.socket?.destroy();

export function redirect(status: number, location: string): Act {
  return send(status, '', { location });
}

const earlyActs = new WeakSet<Act>();

/** Does something before the body of the request was read. */
export function early(act: Act): Act {
  const own: Act = (response, heard) => act(response, heard);
  earlyActs.add(own);
  return own;
}

function isEarly(act: Act): boolean {
  return earlyActs.has(act);
}
