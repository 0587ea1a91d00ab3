import { dirname } from 'node:path';
import { describeError } from '../../model/error-description.ts';
import { isDiskFull, WaypointError } from '../../model/failure.ts';
import type {
  GenerationReference,
  GeodataManifest,
  HostedGeneration,
  InstallStatus,
} from '../../model/geodata.ts';
import type { Log } from '../../model/process.ts';
import type { CheckVerdict, GenerationCheck } from '../../worker/geodata-tasks.ts';
import { createPrivateDirectory } from '../paths.ts';
import type { Download } from './download.ts';
import { expectedHash, inspectGeneration, isHosted, type Generation } from './generation.ts';
import { fileBytes, type GenerationFiles } from './generation-files.ts';
import type { Generations } from './generations.ts';
import { InstallFailed, InstallRecord, type InstallEnd } from './install-record.ts';

/** Looks at all of a generation, off the main thread. */
export type CheckWhole = (check: GenerationCheck, signal: AbortSignal) => Promise<CheckVerdict>;

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

interface Running {
  readonly abort: AbortController;
  /** Never rejects. */
  readonly over: Promise<void>;
}

/**
 * Puts generations to use, one at a time: the builtin one, one that still is here, or one of the manifest that a person
 * has put into `partial/` or that is fetched. None is put to use before its content was checked whole.
 */
export class Installer {
  readonly #options: InstallerOptions;
  readonly #record = new InstallRecord();
  #running: Running | undefined;
  #isClosed = false;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  get status(): InstallStatus {
    return this.#record.status;
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
    if (this.#record.isActive) throw new WaypointError('install_running');
    if (generations.isChosen(target.reference)) return 'installed';
    this.#record.begin(id, target.bytes);
    const abort = new AbortController();
    this.#running = { abort, over: this.#run(target, abort.signal) };
    return 'accepted';
  }

  /** @throws WaypointError no_install when none is active, or when it is too late. */
  cancel(): void {
    const { isActive, isActivating } = this.#record;
    if (!isActive || isActivating) throw new WaypointError('no_install');
    this.#running?.abort.abort();
  }

  /** Stops what is going on, unless it is about to be put to use, and waits for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.abort.abort();
    await this.#running?.over;
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
    let end: InstallEnd = 'installed';
    const protection = generations.protect(target.reference);
    try {
      await this.#bringIn(target, signal);
      await generations.activate(target.reference);
      log.info('geodata.installed', { generation: target.id });
    } catch (error) {
      end = signal.aborted && !this.#record.isActivating ? 'cancelled' : asFailure(error);
      if (end instanceof InstallFailed) {
        const cause = end.cause === undefined ? {} : describeError(end.cause);
        log.warn('geodata.install_failed', { generation: target.id, why: end.code, ...cause });
      }
    }
    protection.end();
    this.#record.end(end);
  }

  /** Sees to it that the file lies where it belongs and is what it should be; then there is no way back. */
  async #bringIn(target: Target, signal: AbortSignal): Promise<void> {
    const { files, generations } = this.#options;
    const { reference, listed } = target;
    const path = generations.pathOf(reference);
    if ((await fileBytes(path)) !== undefined) {
      const fault = await this.#check(target, path, signal);
      if (fault === undefined) return this.#enterActivation(signal);
      if (!isHosted(reference)) throw fault;
      generations.distrust(path);
    }
    if (!isHosted(reference) || listed === undefined) throw new InstallFailed('not_found');
    await this.#receive(listed, signal);
    const fault = await this.#check(target, files.partialPath(reference.oid), signal);
    if (fault !== undefined) {
      // It would be taken for its own beginning for ever.
      if (fault.code === 'mismatch') await files.removePartial(reference.oid);
      throw fault;
    }
    this.#enterActivation(signal);
    await files.stage(reference);
  }

  #enterActivation(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#record.enter('activating');
  }

  async #receive({ artifacts: [artifact] }: HostedGeneration, signal: AbortSignal): Promise<void> {
    const { manifest, files, download } = this.#options;
    const path = files.partialPath(artifact.oid);
    const bytes = (await fileBytes(path)) ?? 0;
    if (bytes === artifact.size) return;
    this.#record.enter('downloading');
    this.#record.received(bytes);
    createPrivateDirectory(dirname(path));
    const onBytes = (received: number): void => this.#record.received(received);
    await download({ artifact, endpoints: manifest.endpoints, path, onBytes, signal });
  }

  async #check(
    { reference, bytes, listed }: Target,
    path: string,
    signal: AbortSignal,
  ): Promise<InstallFailed | undefined> {
    signal.throwIfAborted();
    this.#record.enter('verifying');
    this.#record.received(bytes);
    const sha256 = await expectedHash(reference, path);
    const check = { path, sha256, probes: listed?.probes ?? [] };
    const verdict = await this.#options.check(check, signal);
    if (verdict !== 'sound') return new InstallFailed(verdict);
    if (listed === undefined) return undefined;
    const generation = await inspectGeneration(reference, path);
    return isAsListed(generation, listed) ? undefined : new InstallFailed('mismatch');
  }
}

/** What a generation says of itself is shown where the manifest is not asked; the two must not differ. */
function isAsListed(generation: Generation | undefined, listed: HostedGeneration): boolean {
  if (generation?.id !== listed.id) return false;
  const { dataset } = generation;
  return (
    dataset.dataset_version === listed.dataset_version &&
    dataset.source_version === listed.source_version &&
    dataset.attribution === listed.attribution &&
    dataset.license === listed.license
  );
}

function asFailure(error: unknown): InstallFailed {
  if (error instanceof InstallFailed) return error;
  return new InstallFailed(isDiskFull(error) ? 'disk_full' : 'io', error);
}
