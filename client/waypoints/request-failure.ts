import { errorCode } from '../../model/error-code.ts';
/** Why a request of this layer failed; `message` is the text that the failure signals carry. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The daemon's word for the failure (`not_found`, `busy` …), where it said one. */
  readonly code: string | undefined;
  /** The field of the request that was refused, where the daemon named one. */
  readonly field: string | undefined;
  /** Nobody accepted the connection, so that the request has certainly had no effect. */
  readonly wasRefused: boolean;

  constructor(
    message: string,
    {
      status = 0,
      code,
      field,
      wasRefused = false,
      cause,
    }: {
      readonly status?: number;
      readonly code?: string | undefined;
      readonly field?: string | undefined;
      readonly wasRefused?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.field = field;
    this.wasRefused = wasRefused;
  }
}

/** Characters of an answer or an error that a message repeats (specification, section 7). */
const shownCharacters = 160;

/** `HTTP <status> <up to 160 characters of the answer>`. */
export function httpFailure(
  status: number,
  text: string,
  details: { code?: string | undefined; field?: string | undefined } = {},
): RequestFailure {
  return new RequestFailure(`HTTP ${status} ${firstCharacters(text)}`.trimEnd(), {
    status,
    ...details,
  });
}

/** `timeout (<n> ms)`. */
export function timeoutFailure(timeoutMs: number): RequestFailure {
  return new RequestFailure(`timeout (${timeoutMs} ms)`);
}

/** `send error: …`, for whatever kept a request from being answered. */
export function sendFailure(error: unknown): RequestFailure {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  // Node.js says "fetch failed", and why in the cause.
  const reason = textOf(cause) ?? textOf(error) ?? 'unknown';
  const wasRefused = errorCode(cause) === 'ECONNREFUSED';
  return new RequestFailure(`send error: ${firstCharacters(reason)}`, { wasRefused, cause: error });
}

function textOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : undefined;
}

/** Whole characters: half of one would not be a text. */
function firstCharacters(text: string): string {
  const begin = text.trim().slice(0, 2 * shownCharacters);
  return Array.from(begin).slice(0, shownCharacters).join('');
}
