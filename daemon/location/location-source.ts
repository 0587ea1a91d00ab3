/** A source of positions of the machine. */
export interface LocationSource {
  readonly name: 'geoclue' | 'gpsd' | 'command';
  /** How long to wait after a session that found a position, before the next one. */
  readonly pauseMs: number;
  /**
   * One session: hands over whatever the source reports until the signal is aborted, and lets go of everything before it
   * settles. It ends by itself when the source does.
   * @throws SourceFailed, or an error of the system, when the source cannot be used.
   */
  readonly run: (report: (fix: unknown) => void, signal: AbortSignal) => Promise<void>;
}

/** The reason for the end of a session, a word for the log. */
export type SourceFailure =
  | 'ended'
  | 'flood'
  | 'line_too_long'
  | 'no_bus'
  | 'not_gpsd'
  | 'not_started'
  | 'refused'
  | 'silent'
  | 'thread_failed';

export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  readonly code: SourceFailure;

  constructor(code: SourceFailure) {
    super(code);
    this.code = code;
  }
}
