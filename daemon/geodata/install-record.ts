import type { InstallErrorCode, InstallStatus } from '../../model/geodata.ts';

type Phase = NonNullable<InstallStatus['phase']>;

/** Ends an install with one of the fixed words. */
export class InstallFailed extends Error {
  override readonly name = 'InstallFailed';
  readonly code: InstallErrorCode;

  constructor(code: InstallErrorCode, cause?: unknown) {
    super(`The install failed: ${code}.`, { cause });
    this.code = code;
  }
}

export type InstallEnd = 'installed' | 'cancelled' | InstallFailed;

const nothingDone = { artifact_index: 0, artifact_count: 0, bytes: 0, total_bytes: 0 };
/** A generation is one file. */
const artifacts = 1;

/**
 * How far the install is, or how the last one since the start ended: idle → installing → installed, failed or cancelled,
 * and installing again. While installing it is in one of the phases.
 */
export class InstallRecord {
  #status: InstallStatus = { state: 'idle', progress: nothingDone };

  get status(): InstallStatus {
    return this.#status;
  }

  get isActive(): boolean {
    return this.#status.state === 'installing';
  }

  /** Whether it is too late to cancel. */
  get isActivating(): boolean {
    return this.#status.phase === 'activating';
  }

  /** @param totalBytes of its file. */
  begin(id: string, totalBytes: number): void {
    if (this.isActive) throw new Error('An install is active.');
    this.#status = {
      state: 'installing',
      generation_id: id,
      progress: { ...nothingDone, artifact_count: artifacts, total_bytes: totalBytes },
    };
  }

  enter(phase: Phase): void {
    this.#change({ phase });
  }

  /** @param bytes of its file that are there. */
  received(bytes: number): void {
    this.#change({ progress: { ...this.#status.progress, bytes } });
  }

  end(how: InstallEnd): void {
    const { generation_id, progress } = this.#status;
    if (!this.isActive || generation_id === undefined) throw new Error('No install is active.');
    this.#status =
      how instanceof InstallFailed
        ? { state: 'failed', generation_id, progress, error: how.code }
        : { state: how, generation_id, progress };
  }

  #change(change: Partial<InstallStatus>): void {
    if (!this.isActive) throw new Error('No install is active.');
    this.#status = { ...this.#status, ...change };
  }
}
