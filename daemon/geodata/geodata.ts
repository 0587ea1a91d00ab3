import { existsSync } from 'node:fs';
import { GenerationFiles, fileBytes, type Generation } from '../../geodata/generation-files.ts';
import { Generations } from '../../geodata/generations.ts';
import { Installer, type CheckWhole, type Download } from '../../geodata/installer.ts';
import { embeddedManifest } from '../../geodata/manifest.ts';
import { describeError } from '../../model/error-description.ts';
import {
  generationMetaSchema,
  type GenerationStatus,
  type GeodataManifest,
  type GeodataStatus,
} from '../../model/geodata.ts';
import { limits } from '../../model/limits.ts';
import type { Clock, Log } from '../../model/process.ts';
import { formatTime } from '../../model/time.ts';
import { timelineDatasetSchema, type TimelineDataset } from '../../model/timeline-result.ts';
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
  /** Replaces the manifest of the program. */
  readonly manifest?: GeodataManifest;
  /** Tests bring a smaller one. */
  readonly builtinPath?: string;
  readonly download?: Download;
  readonly check?: CheckWhole;
  readonly files?: GenerationFiles;
}

/** A status waits so long for the first check of the content. */
const statusWaitMs = 1_000;

const none: GenerationStatus = {
  generation_id: '',
  dataset_version: '',
  source_version: '',
  attribution: '',
  license: '',
  installed: false,
  valid: false,
  bytes: 0,
  verified_at: null,
  degraded: false,
  builtin: false,
};

/** The geodata of a daemon: the generation in use, installing others, and places by name. */
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
    const { files = new GenerationFiles(directory, builtinPath) } = overrides;
    const generations = (this.#generations = new Generations({ files, clock, log }));
    const pool = (this.#pool = new WorkerPool({ file: 'geodata-tasks' }));
    const { download = hostedDownload() } = overrides;
    const { check = (task, signal) => pool.run('checkWhole', task, signal) } = overrides;
    this.#options = options;
    this.#manifest = manifest;
    this.#files = files;
    this.installer = new Installer({ manifest, files, generations, download, check, log });
    this.places = new OfflinePlaces({ generations, clock, log });
  }

  /**
   * Reads the pointer and tidies up, in the background; call it once. Without the directory that waits for the first
   * question: opening a generation is a tenth of a start.
   */
  start(): void {
    if (existsSync(this.#options.directory)) this.#starting = this.#start();
  }

  /** The file and dataset of the generation in use, once its content is checked; null without one. */
  async inUse(): Promise<{ readonly path: string; readonly dataset: TimelineDataset } | null> {
    await this.#generations.verified();
    const { current } = this.#generations;
    return current === undefined
      ? null
      : { path: current.path, dataset: timelineDatasetSchema.parse(current) };
  }

  /** The answer of `GET /api/geodata`: no address, path or file name is in it. */
  async status(): Promise<GeodataStatus> {
    const generations = this.#generations;
    await generations.ready();
    await waitAtMost(statusWaitMs, generations.verified());
    const { verifiedAt } = generations;
    return {
      available: await this.#listAvailable(),
      current: {
        ...statusOf(generations.current),
        verified_at: verifiedAt === undefined ? null : formatTime(verifiedAt),
        degraded: generations.isDegraded,
      },
      previous: statusOf(generations.previous),
      install: this.installer.status,
    };
  }

  async close(): Promise<void> {
    this.#generations.close();
    await Promise.allSettled([this.installer.close(), this.places.close(), this.#starting]);
    await this.#pool.close();
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

  async #listAvailable(): Promise<GeodataStatus['available']> {
    const available: GeodataStatus['available'] = [];
    const { builtin } = this.#generations;
    if (builtin !== undefined) {
      const { bytes } = builtin;
      const meta = generationMetaSchema.parse(builtin);
      available.push({ ...meta, bytes, installed: true, builtin: true });
    }
    for (const listed of this.#manifest.generations) {
      const [{ oid, size }] = listed.artifacts;
      const installed = (await fileBytes(this.#files.path({ id: listed.id, oid }))) === size;
      const meta = generationMetaSchema.parse(listed);
      available.push({ ...meta, bytes: size, installed, builtin: false });
    }
    return available;
  }
}

function statusOf(generation: Generation | undefined): GenerationStatus {
  if (generation === undefined) return none;
  const { id, bytes, reference } = generation;
  return {
    ...none,
    generation_id: id,
    ...timelineDatasetSchema.parse(generation),
    installed: true,
    valid: true,
    bytes,
    builtin: reference.oid === null,
  };
}
