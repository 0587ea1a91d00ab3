import type { GenerationStatus, GeodataManifest, GeodataStatus } from '../../model/geodata.ts';
import { formatTime } from '../../model/time.ts';
import type { Generation } from './generation.ts';
import { fileBytes } from './generation-files.ts';
import type { Generations } from './generations.ts';
import type { Installer } from './installer.ts';

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

/** What `GET /api/geodata` tells: no address, no path and no file name is in it. */
export async function geodataStatus(
  manifest: GeodataManifest,
  generations: Generations,
  installer: Installer,
): Promise<GeodataStatus> {
  const { verifiedAt } = generations;
  const current = statusOf(generations.current);
  return {
    available: await listAvailable(manifest, generations),
    current: {
      ...current,
      verified_at: verifiedAt === undefined ? null : formatTime(verifiedAt),
      degraded: generations.isDegraded,
    },
    previous: statusOf(generations.previous),
    install: installer.status,
  };
}

function statusOf(generation: Generation | undefined): GenerationStatus {
  if (generation === undefined) return none;
  const { id, dataset, bytes, reference } = generation;
  return {
    ...none,
    generation_id: id,
    ...dataset,
    installed: true,
    valid: true,
    bytes,
    builtin: reference.oid === null,
  };
}

async function listAvailable(
  manifest: GeodataManifest,
  generations: Generations,
): Promise<GeodataStatus['available']> {
  const { builtin } = generations;
  const available: GeodataStatus['available'] = [];
  if (builtin !== undefined) {
    const { id, dataset, bytes } = builtin;
    available.push({ id, ...dataset, bytes, installed: true, builtin: true });
  }
  for (const listed of manifest.generations) {
    const { id, dataset_version, source_version, attribution, license, artifacts } = listed;
    const [{ oid, size }] = artifacts;
    const isInstalled = (await fileBytes(generations.pathOf({ id, oid }))) === size;
    const dataset = { dataset_version, source_version, attribution, license };
    available.push({ id, ...dataset, bytes: size, installed: isInstalled, builtin: false });
  }
  return available;
}
