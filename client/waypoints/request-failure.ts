import { errorCode } from '../../model/error-code.ts';

/** Why a request of this layer failed; `message` is the text that the failure signals carry. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /**
   * The daemon's word for the failure (`not_found`, `busy` …), where it said one; without an answer `refused` when the
   * connection was, `reset` when it broke, `impostor` when another program answers at the daemon's port.
   */
  readonly code: string | undefined;
  /** The field of the request that was refused, where the daemon named one. */
  readonly field: string | undefined;
  /** The same for a person: the daemon's own sentence, or that it does not answer. */
  readonly sentence: string;

  constructor(message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.status = details.status ?? 0;
    this.code = details.code;
    this.field = details.field;
    this.sentence = details.sentence ?? message;
  }

  /** The connection was not accepted, so that the request has certainly had no effect. */
  get wasRefused(): boolean {
    return this.status === 0 && this.code === 'refused';
  }

  /** The request has certainly had no effect, and no other program has seen it. */
  get wasNotSent(): boolean {
    return this.wasRefused || this.isImpostor;
  }

  /** Another program answers at the daemon's port: it does not know the token. */
  get isImpostor(): boolean {
    return this.status === 0 && this.code === 'impostor';
  }
}

export type FailureDetails = {
  readonly [Name in 'status' | 'code' | 'field' | 'sentence' | 'cause']?:
    | RequestFailure[Name]
    | undefined;
};

/** Characters of an answer or an error that a message repeats (specification, section 7). */
const shownCharacters = 160;

/** `HTTP <status> <up to 160 characters of the answer's sentence, or of the answer>`. */
export function httpFailure(
  status: number,
  text: string,
  { sentence = `HTTP ${status}`, ...words }: FailureDetails = {},
): RequestFailure {
  const message = `HTTP ${status} ${firstCharacters(text)}`.trimEnd();
  return new RequestFailure(message, { ...words, status, sentence });
}

/** `timeout (<n> ms)`. */
export function timeoutFailure(timeoutMs: number): RequestFailure {
  const sentence = `The daemon has not answered within ${Math.ceil(timeoutMs / 1_000)} s.`;
  return new RequestFailure(`timeout (${timeoutMs} ms)`, { sentence });
}

const connectionCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
};

/** `send error: …`, for whatever kept a request from being answered; a failure that is known as it is. */
export function sendFailure(error: unknown, sentence?: string): RequestFailure {
  if (error instanceof RequestFailure) return error;
  // fetch says that it has failed, and why in the cause.
  const reason = error instanceof Error ? (error.cause ?? error) : error;
  const code = errorCode(reason);
  const text = (reason instanceof Error ? reason.message : undefined) || code || 'unknown';
  return new RequestFailure(`send error: ${firstCharacters(text)}`, {
    code: connectionCodes[code ?? ''],
    sentence: sentence ?? `The daemon does not answer (${text}).`,
    cause: error,
  });
}

/** `send error: …`, for an answer that ended too early: a part of it is not to be taken for the whole. */
export function cutOffFailure(error?: unknown): RequestFailure {
  return sendFailure(error, 'The daemon stopped in the middle of its answer.');
}

/** Whole characters: half of one would not be a text. */
function firstCharacters(text: string): string {
  const begin = text.trim().slice(0, 2 * shownCharacters);
  return Array.from(begin).slice(0, shownCharacters).join('');
}
