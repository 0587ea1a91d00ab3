import type { Readable } from 'node:stream';
import { parseJson } from '../../../model/parse-json.ts';
import { versionSchema, type VersionInfo } from '../../../model/process.ts';
import type { Schema } from '../../../model/schema.ts';
import { readAnswer, type Access } from '../http.ts';
import { withQuery, type Query } from '../path.ts';
import { cutOffFailure, RequestFailure } from '../request-failure.ts';
import type { NodeAnswer } from '../../node-request.ts';
import { askDaemon } from './transport.ts';

/** What it takes to talk to a daemon. Its address is always loopback: a token is never sent anywhere else. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
  /** As of the hand-over file. */
  readonly proof?: 1 | undefined;
}

export interface ApiRequest {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is: JSON text, or bytes of any type. */
  readonly bodyText?: string | Readable;
  /** Silence that ends the request, ms; 0 is without end. */
  readonly timeoutMs?: number;
  /**
   * Of a streamed answer, so much is read before any of it is given. The daemon drops a reader that stands still, and a
   * pager makes us stand still for as long as its user reads a page.
   */
  readonly aheadBytes?: number;
}

/** The client timeout of the specification (section 8). */
const defaultTimeoutMs = 8_000;

/** An endpoint as requests want it. */
export function accessTo({ port, token, proof }: Endpoint): Access {
  return { base: `http://127.0.0.1:${port}`, token, proves: proof === 1 };
}

/**
 * Asks one daemon for anything, with a schema for what comes back. Requests may last as long as an import does: only
 * silence ends them.
 */
export class ApiClient {
  readonly #access: Access;

  constructor(endpoint: Endpoint) {
    this.#access = accessTo(endpoint);
  }

  /**
   * Asks for one JSON answer.
   * @throws RequestFailure for an error status, no answer, or one that its schema does not know.
   */
  async ask<T>(
    schema: Schema<T>,
    method: string,
    path: string,
    input: ApiRequest = {},
  ): Promise<T> {
    const answer = await this.#send(method, path, input);
    const { value } = await readAnswer(answer.status, answer.pieces());
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw new RequestFailure(`The daemon's answer to ${method} ${path} was not understood.`);
  }

  /**
   * Reads the elements of a JSON array that the daemon sends one on a line, without ever holding them all.
   * @throws RequestFailure when the array ends too early: a part of it is not to be taken for the whole.
   */
  async *elements<T>(schema: Schema<T>, path: string, input: ApiRequest = {}): AsyncGenerator<T> {
    for await (const line of this.lines(path, input)) {
      const result = schema.safeParse(parseJson(line));
      if (!result.success)
        throw new RequestFailure('The daemon sent a line that was not understood.');
      yield result.data;
    }
  }

  /** The elements of such an array as the JSON texts they are sent as. */
  async *lines(path: string, input: ApiRequest = {}): AsyncGenerator<string> {
    let last = '';
    for await (const line of splitLines(this.texts('GET', path, input))) {
      if (line === '') continue;
      last = line;
      if (line !== '[' && line !== ']' && line !== '[]') yield line.replace(/,$/u, '');
    }
    if (!last.endsWith(']')) throw cutOffFailure();
  }

  /**
   * The answer to any request as it comes, in pieces of text.
   * @throws RequestFailure for an error status, no answer, or one that ends too early.
   */
  async *texts(method: string, path: string, input: ApiRequest = {}): AsyncGenerator<string> {
    const answer = await this.#send(method, path, input);
    if (answer.status >= 400) await readAnswer(answer.status, answer.pieces());
    answer.allowSilence();
    yield* readAhead(answer.pieces(), input.aheadBytes ?? 0);
  }

  /** The bytes of an answer as they come. @throws as texts */
  async *bytes(path: string): AsyncGenerator<Uint8Array> {
    const answer = await this.#send('GET', path, {});
    if (answer.status >= 400) await readAnswer(answer.status, answer.pieces());
    answer.allowSilence();
    yield* answer.pieces();
  }

  #send(method: string, path: string, input: ApiRequest): Promise<NodeAnswer> {
    const { query, bodyText, timeoutMs: silenceMs = defaultTimeoutMs } = input;
    const body = input.body === undefined ? bodyText : JSON.stringify(input.body);
    return askDaemon(this.#access, { method, path: withQuery(path, query), body, silenceMs });
  }
}

/**
 * Asks a daemon for its version.
 * @returns undefined when nothing answers there or the token is not its own, the failure when an impostor answers.
 */
export async function probeDaemon(
  endpoint: Endpoint,
): Promise<VersionInfo | RequestFailure | undefined> {
  try {
    return await new ApiClient(endpoint).ask(versionSchema, 'GET', '/api/version');
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    return error.isImpostor ? error : undefined;
  }
}

async function* readAhead(
  pieces: AsyncIterable<Uint8Array>,
  aheadBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held: string[] | undefined = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    if (held === undefined) {
      yield text;
    } else {
      held.push(text);
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
