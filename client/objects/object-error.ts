import { objectErrorSchema } from '../../model/objects.ts';
import { parseJson } from '../../model/parse-json.ts';

/**
 * Why a call failed: `http` the server refused it (see `status`), `unreachable` there was no connection, `stalled` it broke
 * or fell silent, `mismatch` the bytes are not those of the oid, `protocol` the server did what the API does not allow.
 */
export type ObjectFailure = 'http' | 'unreachable' | 'stalled' | 'mismatch' | 'protocol';

/** The one error of the object client; what an AbortSignal says is thrown as it is. */
export class ObjectClientError extends Error {
  override readonly name = 'ObjectClientError';
  readonly failure: ObjectFailure;
  /** HTTP status, with `http`. */
  readonly status: number | undefined;
  /** From the server's error object, if any. */
  readonly documentationUrl: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds that the server asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(
    failure: ObjectFailure,
    message: string,
    details: Partial<Omit<ObjectClientError, 'failure' | keyof Error>> & ErrorOptions = {},
  ) {
    super(message, { cause: details.cause });
    this.failure = failure;
    this.status = details.status;
    this.documentationUrl = details.documentationUrl;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** Sentences for refusals without an error object. */
const statusTexts: Readonly<Record<number, string>> = {
  400: 'The server did not understand the request.',
  401: 'User name or password are wrong.',
  403: 'You may not write to this repository.',
  404: 'There is no such object or repository, or you may not see it.',
  413: 'The object is too large for the server.',
  429: 'The server asks for fewer requests.',
  507: 'The server has no room left.',
  509: 'The bandwidth limit of the server is exceeded.',
};

/** Makes the error of a refusal from its body, which is the error object of the specification or anything else. */
export function refusal(status: number, body: string, retryAfter?: number): ObjectClientError {
  const told = objectErrorSchema.safeParse(parseJson(body)).data;
  return new ObjectClientError(
    'http',
    told?.message ?? statusTexts[status] ?? fallbackText(status),
    {
      status,
      documentationUrl: told?.documentation_url,
      requestId: told?.request_id,
      retryAfter,
    },
  );
}

function fallbackText(status: number): string {
  if (status >= 300 && status < 400)
    return `The server redirects in a way that is not followed (${status}).`;
  return `The server answered with HTTP status ${status}.`;
}
