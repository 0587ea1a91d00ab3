import { existsSync } from 'node:fs';
import { GenerationFiles } from '../../geodata/install/generation-files.ts';
import { Generations, type HeldGeneration } from '../../geodata/install/generations.ts';
import { Installer, type CheckWhole, type Download } from '../../geodata/install/installer.ts';
import { generationsStatus } from '../../geodata/install/status.ts';
import { embeddedManifest } from '../../geodata/manifest.ts';
import { describeError } from '../../model/error-description.ts';
import type { GeodataManifest, GeodataStatus } from '../../model/geodata.ts';
import { limits } from '../../model/limits.ts';
import type { Clock, Log } from '../../model/process.ts';
import type * as tasks from '../../worker/geodata-tasks.ts';
import { WorkerPool } from '../pool.ts';
import { waitAtMost } from '../schedule.ts';
import { hostedDownload } from './hosted-download.ts';
import { OfflinePlaces } from './offline-places.ts';

export interface GeodataOptions {
  /** `geodata` in the data directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface GeodataOverrides {
  /** In place of the one that is part of the program. */
  readonly manifest?: GeodataManifest;
  /** Tests bring a smaller one. */
  readonly builtinPath?: string;
  readonly download?: Download;
  readonly check?: CheckWhole;
}

/** A status waits so long for the check of the content that comes once after the start. */
const statusWaitMs = 1_000;

/** The geodata of a daemon: which generation is in use, how another one is installed, and places by name. */
export class Geodata {
  readonly installer: Installer;
  readonly places: OfflinePlaces;
  readonly #options: GeodataOptions;
  readonly #manifest: GeodataManifest;
  readonly #files: GenerationFiles;
  readonly #pool: WorkerPool<typeof tasks>;
  readonly #generations: Generations;
  #starting: Promise<void> = Promise.resolve();

  constructor(options: GeodataOptions, overrides: GeodataOverrides = {}) {
    const { directory, clock, log } = options;
    const { manifest = embeddedManifest, builtinPath } = overrides;
    this.#options = options;
    this.#manifest = manifest;
    const files = (this.#files = new GenerationFiles(directory, builtinPath));
    const generations = (this.#generations = new Generations({ files, clock, log }));
    const pool = (this.#pool = new WorkerPool({ file: 'geodata-tasks' }));
    const { download = hostedDownload() } = overrides;
    const { check = (task, signal) => pool.run('checkWhole', task, signal) } = overrides;
    this.installer = new Installer({ manifest, files, generations, download, check, log });
    this.places = new OfflinePlaces({ generations, clock, log });
  }

  /**
   * Finds out what is there and tidies up, in the background; to be called once. Where nothing was ever installed that
   * waits for the first question: opening a generation is a tenth of a start.
   */
  start(): void {
    if (existsSync(this.#options.directory)) this.#starting = this.#start();
  }

  /** Lends the generation in use, once its content is checked; undefined when there is none. */
  hold(): Promise<HeldGeneration | undefined> {
    return this.#generations.hold();
  }

  async status(): Promise<GeodataStatus> {
    await this.#generations.ready();
    await waitAtMost(statusWaitMs, this.#generations.verified());
    const status = await generationsStatus(this.#manifest, this.#files, this.#generations);
    return { ...status, install: this.installer.status };
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.installer.close(), this.places.close(), this.#starting]);
    await Promise.allSettled([this.#generations.close(), this.#pool.close()]);
  }

  async #start(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#generations.ready();
      const known = new Set(this.#manifest.generations.map(({ artifacts: [{ oid }] }) => oid));
      await this.#files.removeStrays(known, clock.now(), limits.geodataPartialMs);
    } catch (error) {
      log.error('geodata.not_started', describeError(error));
    }
  }
}
