/** Exit codes that a service manager treats as final (contract A): restarting would not help. */
export type RefusalExitCode = 64 | 65 | 74 | 75 | 78;

/** Thrown when the daemon cannot start for a reason its user can act on; `sentence` says which, on one line. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly exitCode: RefusalExitCode;
  readonly sentence: string;

  constructor(exitCode: RefusalExitCode, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.exitCode = exitCode;
    this.sentence = sentence;
  }
}
