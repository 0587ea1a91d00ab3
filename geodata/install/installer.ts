import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeError } from '../../model/error-description.ts';
import { isDiskFull, WaypointError } from '../../model/failure.ts';
import {
  generationMetaSchema,
  type GenerationReference,
  type GeodataArtifact,
  type GeodataManifest,
  type HostedGeneration,
  type InstallErrorCode,
  type InstallStatus,
} from '../../model/geodata.ts';
import type { Log } from '../../model/process.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import type { CheckVerdict, GenerationCheck } from '../check.ts';
import { readGenerationInfo } from '../generation.ts';
import { expectedHash, fileBytes, type GenerationFiles } from './generation-files.ts';
import type { Generations } from './generations.ts';

/** Looks at all of a generation, off the main thread. */
export type CheckWhole = (check: GenerationCheck, signal: AbortSignal) => Promise<CheckVerdict>;

export interface ArtifactRequest {
  readonly artifact: GeodataArtifact;
  /** Base addresses of object storage, to be tried in this order. */
  readonly endpoints: readonly string[];
  /** Where the artifact goes, in a directory that is there; a file that lies there may be its beginning. */
  readonly path: string;
  /** To be told how many bytes lie there. */
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Brings an artifact in whole; whether its content is right is checked afterwards.
 * @throws InstallFailed with the word for it; anything once the signal is aborted.
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

/** What an install is about. */
interface Target {
  readonly id: string;
  readonly reference: GenerationReference;
  readonly bytes: number;
  /** What the manifest says of it, if it is in there. */
  readonly listed: HostedGeneration | undefined;
}

const nothingDone = { artifact_index: 0, artifact_count: 0, bytes: 0, total_bytes: 0 };

/**
 * Puts generations to use, one at a time: the builtin one, one that still is here, or one of the manifest that a person
 * has put into `partial/` or that is fetched. None is put to use before its content was checked whole.
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

  /** How far the install is, or how the last one since the start ended. While installing it is in one of the phases. */
  get status(): InstallStatus {
    return this.#status;
  }

  /**
   * Begins to install a generation; how far it is, and how it ends, is in the status.
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
    this.#over = this.#run(target, this.#abort.signal);
    return 'accepted';
  }

  /** @throws WaypointError no_install when none is active, or when it is too late. */
  cancel(): void {
    const { state, phase } = this.#status;
    if (state !== 'installing' || phase === 'activating') throw new WaypointError('no_install');
    this.#abort.abort();
  }

  /** Stops what is going on, unless it is about to be put to use, and waits for it. */
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
      return { id, reference: { id, oid }, bytes: size, listed };
    }
    const here = [generations.builtin, generations.current, generations.previous];
    const found = here.find((generation) => generation?.id === id);
    return found && { id, reference: found.reference, bytes: found.bytes, listed };
  }

  async #run(target: Target, signal: AbortSignal): Promise<void> {
    const { generations, log } = this.#options;
    const generation_id = target.id;
    const end = generations.keep(target.reference);
    try {
      await this.#bringIn(target, signal);
      await generations.activate(target.reference);
      log.info('geodata.installed', { generation: generation_id });
      this.#status = { state: 'installed', generation_id, progress: this.#status.progress };
    } catch (error) {
      const { phase, progress } = this.#status;
      if (signal.aborted && phase !== 'activating') {
        this.#status = { state: 'cancelled', generation_id, progress };
      } else {
        const { code, cause } = asFailure(error);
        const why = cause === undefined ? {} : describeError(cause);
        log.warn('geodata.install_failed', { generation: generation_id, why: code, ...why });
        this.#status = { state: 'failed', generation_id, progress, error: code };
      }
    }
    end();
  }

  /** Sees to it that the file lies where it belongs and is what it should be; then there is no way back. */
  async #bringIn(target: Target, signal: AbortSignal): Promise<void> {
    const { files, generations } = this.#options;
    const { reference, listed } = target;
    const path = files.path(reference);
    if ((await fileBytes(path)) !== undefined) {
      const fault = await this.#check(target, path, signal);
      if (fault === undefined) return this.#enterActivation(signal);
      if (reference.oid === null) throw fault;
      generations.distrust(path);
    }
    if (listed === undefined) throw new InstallFailed('not_found');
    const partial = files.partialPath(listed.artifacts[0].oid);
    await this.#receive(listed, partial, signal);
    const fault = await this.#check(target, partial, signal);
    if (fault !== undefined) {
      // The next install would take it for its own beginning.
      if (fault.code === 'mismatch') await rm(partial, { force: true }).catch(() => undefined);
      throw fault;
    }
    this.#enterActivation(signal);
    await files.stage(reference, partial);
  }

  #enterActivation(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#change({ phase: 'activating' });
  }

  async #receive(
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
    const isAsListed = listed === undefined || isSelfDescribed(path, listed);
    return isAsListed ? undefined : new InstallFailed('mismatch');
  }

  /** @param bytes of its file that are there. */
  #change(change: Pick<InstallStatus, 'phase'>, bytes = this.#status.progress.bytes): void {
    const progress = { ...this.#status.progress, bytes };
    this.#status = { ...this.#status, ...change, progress };
  }
}

/** What a generation says of itself is shown where the manifest is not asked; the two must not differ. */
function isSelfDescribed(path: string, listed: HostedGeneration): boolean {
  const said = generationMetaSchema.parse(readGenerationInfo(path));
  return isDeepStrictEqual(said, generationMetaSchema.parse(listed));
}

function asFailure(error: unknown): InstallFailed {
  if (error instanceof InstallFailed) return error;
  return new InstallFailed(isDiskFull(error) ? 'disk_full' : 'io', error);
}
