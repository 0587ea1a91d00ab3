import { httpFailure, RequestFailure, type FailureDetails } from './request-failure.ts';

/** Where the API is and what opens it. */
export interface Access {
  /** Origin, and perhaps a path, without a slash at the end; empty for the page's own origin. */
  readonly base: string;
  /** Empty where a proxy adds the token. */
  readonly token: string;
  /** The daemon proves, to clients on Node.js, that it knows the token; they send it nothing before. */
  readonly proves?: boolean | undefined;
  /** Sent with every request: what opens a proxy, say. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of JSON. */
  readonly content?: Uint8Array<ArrayBuffer> | undefined;
  /** The value of the answer is its bytes. */
  readonly asBytes?: true | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** Parsed JSON; null for an empty body, the text itself for one that is not JSON. */
  readonly value: unknown;
  /** The number of the change that the request has made. */
  readonly change?: number | undefined;
}

/**
 * Sends one request and reads its answer.
 * @throws RequestFailure for an error status; the signal's reason; another error when there is no answer.
 */
export type Transport = (
  access: Access,
  request: HttpRequest,
  signal: AbortSignal,
) => Promise<HttpAnswer>;

/** Far above every answer that is read whole; a runaway one must not fill the memory. */
const maxAnswerBytes = 536_870_912;
/** More of a failure is neither shown nor understood. */
const maxFailureBytes = 65_536;
/** The form of a token by RFC 6750. An error of the platform would repeat the text of others. */
const tokenForm = /^[\w.~+/=-]*$/;

/** The transport of browsers; Node.js has one of its own. */
export const fetchTransport: Transport = async (
  access,
  { method, path, body, content, asBytes },
  signal,
) => {
  const response = await fetch(access.base + path, {
    method,
    headers: headersFor(access, body !== undefined),
    // The token is for this one address.
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(content === undefined ? {} : { body: content }),
    signal,
  });
  const answer = await readAnswer(response.status, piecesOf(response), asBytes);
  return withChange(answer, response.headers.get(changeHeader));
};

/** Tells the number of the change that a request has made. */
export const changeHeader = 'x-change-id';

/** Adds what that header says to an answer. */
export function withChange(answer: HttpAnswer, header: unknown): HttpAnswer {
  return typeof header === 'string' ? { ...answer, change: Number(header) } : answer;
}

/** @throws Error when the token cannot be one. */
export function headersFor({ token, headers }: Access, hasBody: boolean): Record<string, string> {
  if (!tokenForm.test(token)) throw new Error('the API token is malformed');
  return {
    ...headers,
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

/** Not every browser can iterate over a body. */
async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // One that has failed cannot be cancelled either.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Reads an answer whole.
 * @throws RequestFailure for an error status; what the pieces throw
 */
export async function readAnswer(
  status: number,
  pieces: AsyncIterable<Uint8Array>,
  asBytes = false,
): Promise<HttpAnswer> {
  const isSuccess = status >= 200 && status < 300;
  const maxBytes = isSuccess ? maxAnswerBytes : maxFailureBytes;
  const decoder = new TextDecoder();
  const parts: string[] = [];
  const kept: Uint8Array<ArrayBuffer>[] = [];
  const isKept = asBytes && isSuccess;
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw tooLarge();
      // Sound: no answer comes in shared memory.
      if (isKept) kept.push(piece as Uint8Array<ArrayBuffer>);
      else parts.push(decoder.decode(piece, { stream: true }));
    }
    parts.push(decoder.decode());
  } catch (error) {
    // A failure needs its status and the beginning of its text only.
    if (isSuccess) throw error;
  }
  if (isKept) return { status, value: new Uint8Array(await new Blob(kept).arrayBuffer()) };
  const text = parts.join('');
  const value = parse(text);
  if (!isSuccess) throw failureOf(status, text, value);
  return { status, value };
}

function failureOf(status: number, text: string, value: unknown): RequestFailure {
  const words = failureWords(value);
  return httpFailure(status, words.sentence ?? text, words);
}

function tooLarge(): RequestFailure {
  const sentence = "The daemon's answer is too large.";
  return new RequestFailure('send error: the answer is too large', { sentence });
}

function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text; // Tolerated: the status says that the request succeeded.
  }
}

function failureWords(value: unknown): FailureDetails {
  const words = Object(value) as Readonly<Record<string, unknown>>;
  const text = (word: unknown) => (typeof word === 'string' ? word : undefined);
  return {
    code: text(words['code']),
    field: text(words['field']),
    sentence: text(words['message']),
  };
}
