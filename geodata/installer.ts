import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CheckVerdict, GenerationCheck } from './check.ts';
import { expectedHash, fileBytes, type GenerationFiles } from './generation-files.ts';
import { readGenerationInfo } from './generation.ts';
import { describeError } from '../model/error-description.ts';
import { isDiskFull, WaypointError } from '../model/failure.ts';
import {
  generationMetaSchema,
  type GenerationReference,
  type GeodataArtifact,
  type GeodataManifest,
  type HostedGeneration,
  type InstallErrorCode,
  type InstallStatus,
} from '../model/geodata.ts';
import type { Log } from '../model/process.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';
import type { Generations } from './generations.ts';

/** Checks all of a generation, off the main thread. */
export type CheckWhole = (check: GenerationCheck, signal: AbortSignal) => Promise<CheckVerdict>;

export interface ArtifactRequest {
  readonly artifact: GeodataArtifact;
  /** Base addresses of object storage, tried in this order. */
  readonly endpoints: readonly string[];
  /** The file to write; one that lies there is continued. Its directory exists. */
  readonly path: string;
  /** Called with the bytes that lie there. */
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Fetches an artifact whole; its content is checked afterwards.
 * @throws InstallFailed; anything once the signal is aborted.
 */
export type Download = (request: ArtifactRequest) => Promise<void>;

/** Ends an install with one of the fixed words. */
export class InstallFailed extends Error {
  override readonly name = 'InstallFailed';
  readonly code: InstallErrorCode;

  constructor(code: InstallErrorCode, cause?: unknown) {
    super(`The install failed: ${code}.`, { cause });
    this.code = code;
  }
}

export interface InstallerOptions {
  readonly manifest: GeodataManifest;
  readonly files: GenerationFiles;
  readonly generations: Generations;
  readonly check: CheckWhole;
  readonly download: Download;
  readonly log: Log;
}

interface Target {
  readonly reference: GenerationReference;
  readonly bytes: number;
  /** Its entry in the manifest, if any. */
  readonly listed: HostedGeneration | undefined;
}

const nothingDone = { artifact_index: 0, artifact_count: 0, bytes: 0, total_bytes: 0 };

/**
 * Installs one generation at a time: fetches it (unless its file is here), checks it whole, renames it to its place and
 * points to it. Until then the one in use serves, whatever goes wrong.
 */
export class Installer {
  readonly #options: InstallerOptions;
  #status: InstallStatus = { state: 'idle', progress: nothingDone };
  #abort = new AbortController();
  /** Never rejects. */
  #over: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /** The progress of the install, or the end of the last one since the start. */
  get status(): InstallStatus {
    return this.#status;
  }

  /**
   * Begins an install; the status shows its progress and its end.
   * @returns `installed` when it is in use already.
   * @throws WaypointError unknown_generation, install_running, unavailable
   */
  async install(id: string): Promise<'accepted' | 'installed'> {
    const { generations } = this.#options;
    await generations.verified();
    if (this.#isClosed) throw new WaypointError('unavailable');
    const target = this.#findTarget(id);
    if (target === undefined) throw new WaypointError('unknown_generation');
    if (this.#status.state === 'installing') throw new WaypointError('install_running');
    if (generations.isChosen(target.reference)) return 'installed';
    // A generation is one file.
    const progress = { ...nothingDone, artifact_count: 1, total_bytes: target.bytes };
    this.#status = { state: 'installing', generation_id: id, progress };
    this.#abort = new AbortController();
    this.#over = this.#run(id, target, this.#abort.signal);
    return 'accepted';
  }

  /** @throws WaypointError no_install when none is active, or when it is too late. */
  cancel(): void {
    const { state, phase } = this.#status;
    if (state !== 'installing' || phase === 'activating') throw new WaypointError('no_install');
    this.#abort.abort();
  }

  /** Cancels the install, unless it is in its last step, and waits for its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#abort.abort();
    await this.#over;
  }

  #findTarget(id: string): Target | undefined {
    const { manifest, generations } = this.#options;
    const listed = manifest.generations.find((generation) => generation.id === id);
    if (listed !== undefined) {
      const { oid, size } = listed.artifacts[0];
      return { reference: { id, oid }, bytes: size, listed };
    }
    const here = [generations.builtin, generations.current, generations.previous];
    const found = here.find((generation) => generation?.id === id);
    return found && { reference: found.reference, bytes: found.bytes, listed };
  }

  async #run(generation_id: string, target: Target, signal: AbortSignal): Promise<void> {
    const { generations, files, log } = this.#options;
    try {
      const partial = await this.#provide(target, signal);
      signal.throwIfAborted();
      this.#change({ phase: 'activating' });
      if (partial !== undefined) await files.stage(target.reference, partial);
      await generations.use(target.reference);
      log.info('geodata.installed', { generation: generation_id });
      this.#status = { state: 'installed', generation_id, progress: this.#status.progress };
    } catch (error) {
      const { phase, progress } = this.#status;
      if (signal.aborted && phase !== 'activating') {
        this.#status = { state: 'cancelled', generation_id, progress };
        return;
      }
      const { code, cause } = asFailure(error);
      const why = cause === undefined ? {} : describeError(cause);
      log.warn('geodata.install_failed', { generation: generation_id, why: code, ...why });
      this.#status = { state: 'failed', generation_id, progress, error: code };
    }
  }

  /** Checks the file in its place, or else fetches and checks another one. @returns the fetched one */
  async #provide(target: Target, signal: AbortSignal): Promise<string | undefined> {
    const { files, generations } = this.#options;
    const { reference, listed } = target;
    const path = files.path(reference);
    if ((await fileBytes(path)) !== undefined) {
      const fault = await this.#check(target, path, signal);
      if (fault === undefined) return undefined;
      if (reference.oid === null) throw fault;
      generations.distrust(path);
    }
    if (listed === undefined) throw new InstallFailed('not_found');
    const partial = files.partialPath(listed.artifacts[0].oid);
    await this.#fetch(listed, partial, signal);
    const fault = await this.#check(target, partial, signal);
    if (fault === undefined) return partial;
    // The next install would continue it.
    if (fault.code === 'mismatch') await rm(partial, { force: true }).catch(() => undefined);
    throw fault;
  }

  async #fetch(
    { artifacts: [artifact] }: HostedGeneration,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { manifest, download } = this.#options;
    const bytes = (await fileBytes(path)) ?? 0;
    if (bytes === artifact.size) return;
    this.#change({ phase: 'downloading' }, bytes);
    createPrivateDirectory(dirname(path));
    const onBytes = (received: number): void => this.#change({}, received);
    await download({ artifact, endpoints: manifest.endpoints, path, onBytes, signal });
  }

  async #check(
    { reference, bytes, listed }: Target,
    path: string,
    signal: AbortSignal,
  ): Promise<InstallFailed | undefined> {
    signal.throwIfAborted();
    this.#change({ phase: 'verifying' }, bytes);
    const sha256 = await expectedHash(reference, path);
    const check = { path, sha256, probes: listed?.probes ?? [] };
    const verdict = await this.#options.check(check, signal);
    if (verdict !== 'sound') return new InstallFailed(verdict);
    if (listed === undefined) return undefined;
    // The status shows its own description, not the manifest's.
    const own = generationMetaSchema.parse(readGenerationInfo(path));
    const isAsListed = isDeepStrictEqual(own, generationMetaSchema.parse(listed));
    return isAsListed ? undefined : new InstallFailed('mismatch');
  }

  /** @param bytes of its file that are there. */
  #change(change: Pick<InstallStatus, 'phase'>, bytes = this.#status.progress.bytes): void {
    const progress = { ...this.#status.progress, bytes };
    this.#status = { ...this.#status, ...change, progress };
  }
}

function asFailure(error: unknown): InstallFailed {
  if (error instanceof InstallFailed) return error;
  return new InstallFailed(isDiskFull(error) ? 'disk_full' : 'io', error);
}
