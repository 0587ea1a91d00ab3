import { describeError } from '../../model/error-description.ts';

/** Why a geocoding server was of no use, as a word for the log. */
export type ServerFault =
  | 'content_type'
  | 'encoding'
  | 'format'
  | 'redirect'
  | 'status'
  | 'timeout'
  | 'too_large'
  | 'unreachable';

/** A geocoding server that did not answer as it should. */
export class ServerFailed extends Error {
  override readonly name = 'ServerFailed';
  readonly code: ServerFault;
  readonly status: number | undefined;
  /** Wait that the server asks for, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ServerFault,
    details: { status?: number; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(code, { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Details for the log: the status, or the error of the network or the certificate. */
  get details(): Readonly<Record<string, string | number>> {
    const because = this.cause === undefined ? undefined : describeError(this.cause)['error_code'];
    return {
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(because === undefined ? {} : { because }),
    };
  }
}
