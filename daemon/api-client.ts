import type { IncomingMessage } from 'node:http';
import { parseJson } from '../model/parse-json.ts';
import { failureSchema, versionSchema, type VersionInfo } from '../model/process.ts';
import type { Schema } from '../model/schema.ts';

/** What it takes to talk to a daemon. Its address is always loopback: a token is never sent anywhere else. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
}

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as JSON text. */
  readonly bodyText?: string;
  /** Silence that ends the request, ms; 0 waits for ever. */
  readonly timeoutMs?: number;
  /**
   * Of a streamed answer, so much is read before any of it is given. The daemon drops a reader that stands still, and a
   * pager makes us stand still for as long as its user reads a page.
   */
  readonly aheadBytes?: number;
}

/** An answer with an error status. The message is the daemon's fixed sentence. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field: string | undefined) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

/** The daemon did not answer, or hung up in the middle. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The client timeout of the specification (section 8). */
const defaultTimeoutMs = 8_000;
/** A probe only has to tell a living daemon from a stale file. */
const probeTimeoutMs = 2_000;
/** Lists are read line by line; an answer that is read whole is never near this. */
const maxAnswerBytes = 67_108_864;
const maxErrorBytes = 65_536;

/** Talks to one daemon over loopback HTTP. It uses node:http, whose requests may last as long as an import does. */
export class ApiClient {
  readonly endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Asks for one JSON answer.
   * @throws ApiError for an error status; NoAnswer when there is none, or one that its schema does not know.
   */
  async ask<T>(
    schema: Schema<T>,
    method: string,
    path: string,
    input: ApiRequest = {},
  ): Promise<T> {
    const response = await this.open(method, path, input);
    const result = schema.safeParse(parseJson(await readText(response, maxAnswerBytes)));
    if (result.success) return result.data;
    throw new NoAnswer(`The daemon's answer to ${method} ${path} was not understood.`);
  }

  /**
   * Reads the elements of a JSON array that the daemon sends one on a line, without ever holding them all.
   * @throws NoAnswer when the array ends too early: whoever reads must not take a part for the whole.
   */
  async *elements<T>(schema: Schema<T>, path: string, input: ApiRequest = {}): AsyncGenerator<T> {
    for await (const line of this.lines(path, input)) {
      const result = schema.safeParse(parseJson(line));
      if (!result.success) throw new NoAnswer('The daemon sent a line that was not understood.');
      yield result.data;
    }
  }

  /** The elements of such an array as the JSON texts they are sent as. */
  async *lines(path: string, input: ApiRequest = {}): AsyncGenerator<string> {
    const response = await this.open('GET', path, input);
    // From here on silence may be our own.
    response.socket.setTimeout(0);
    let last = '';
    try {
      for await (const line of splitLines(readAhead(response, input.aheadBytes ?? 0))) {
        if (line === '') continue;
        last = line;
        if (line !== '[' && line !== ']' && line !== '[]') yield line.replace(/,$/u, '');
      }
    } catch (error) {
      throw new NoAnswer('The daemon stopped in the middle of its answer.', { cause: error });
    } finally {
      response.destroy();
    }
    if (!response.complete || !last.endsWith(']')) {
      throw new NoAnswer('The daemon stopped in the middle of its answer.');
    }
  }

  /**
   * Sends a request and gives the answer as soon as its headers are there.
   * @throws ApiError for an error status; NoAnswer when there is no answer.
   */
  async open(method: string, path: string, input: ApiRequest = {}): Promise<IncomingMessage> {
    const response = await this.#send(method, path, input);
    const status = response.statusCode ?? 0;
    if (status < 400) return response;
    throw toApiError(status, await readText(response, maxErrorBytes));
  }

  async #send(method: string, path: string, input: ApiRequest): Promise<IncomingMessage> {
    // Only now: many commands ask no daemon.
    const { http } = await import('../http/node-http.ts');
    const { query = {}, timeoutMs = defaultTimeoutMs } = input;
    const body =
      input.bodyText ?? (input.body === undefined ? undefined : JSON.stringify(input.body));
    const headers: Record<string, string | number> = {
      authorization: `Bearer ${this.endpoint.token}`,
    };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    return new Promise((resolve, reject) => {
      // A connection of its own for every request: a kept one may be closed by the daemon just as it is used again.
      const sent = http.request(
        {
          host: '127.0.0.1',
          port: this.endpoint.port,
          method,
          path: withQuery(path, query),
          headers,
          agent: false,
          timeout: timeoutMs,
        },
        resolve,
      );
      sent.on('timeout', () => sent.destroy(new Error(`silent for ${timeoutMs} ms`)));
      sent.on('error', (cause) => {
        reject(new NoAnswer(`The daemon does not answer (${cause.message}).`, { cause }));
      });
      sent.end(body);
    });
  }
}

/** Asks a daemon for its version; undefined when nobody answers there or the token is not its own. */
export async function probeDaemon(endpoint: Endpoint): Promise<VersionInfo | undefined> {
  try {
    const client = new ApiClient(endpoint);
    return await client.ask(versionSchema, 'GET', '/api/version', { timeoutMs: probeTimeoutMs });
  } catch (error) {
    if (error instanceof ApiError || error instanceof NoAnswer) return undefined;
    throw error;
  }
}

async function* readAhead(response: IncomingMessage, aheadBytes: number): AsyncGenerator<string> {
  let held: string[] | undefined = [];
  let bytes = 0;
  response.setEncoding('utf8');
  for await (const piece of response as AsyncIterable<string>) {
    if (held === undefined) {
      yield piece;
    } else {
      held.push(piece);
      bytes += piece.length;
      if (bytes < aheadBytes) continue;
      yield* held;
      held = undefined;
    }
  }
  yield* held ?? [];
}

/** Splits at line feeds only: node:readline also splits at U+2028, which a name may hold. */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

function withQuery(path: string, query: NonNullable<ApiRequest['query']>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

function toApiError(status: number, text: string): ApiError {
  const result = failureSchema.safeParse(parseJson(text));
  if (!result.success) return new ApiError(status, 'unknown', `HTTP ${status}`, undefined);
  const { code, message, field } = result.data;
  return new ApiError(status, code, message, field);
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new Error('too long');
      pieces.push(piece);
    }
  } catch (error) {
    throw new NoAnswer('The daemon stopped in the middle of its answer.', { cause: error });
  }
  return Buffer.concat(pieces).toString('utf8');
}
