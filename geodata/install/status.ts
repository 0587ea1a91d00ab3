import {
  generationMetaSchema,
  type GenerationStatus,
  type GeodataManifest,
  type GeodataStatus,
} from '../../model/geodata.ts';
import { formatTime } from '../../model/time.ts';
import { timelineDatasetSchema } from '../../model/timeline-result.ts';
import { fileBytes, type Generation, type GenerationFiles } from './generation-files.ts';
import type { Generations } from './generations.ts';

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

/** What `GET /api/geodata` tells beside the install: no address, no path and no file name is in it. */
export async function generationsStatus(
  manifest: GeodataManifest,
  files: GenerationFiles,
  generations: Generations,
): Promise<Omit<GeodataStatus, 'install'>> {
  const { verifiedAt } = generations;
  return {
    available: await listAvailable(manifest, files, generations.builtin),
    current: {
      ...statusOf(generations.current),
      verified_at: verifiedAt === undefined ? null : formatTime(verifiedAt),
      degraded: generations.isDegraded,
    },
    previous: statusOf(generations.previous),
  };
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

async function listAvailable(
  manifest: GeodataManifest,
  files: GenerationFiles,
  builtin: Generation | undefined,
): Promise<GeodataStatus['available']> {
  const available: GeodataStatus['available'] = [];
  if (builtin !== undefined) {
    const { bytes } = builtin;
    const meta = generationMetaSchema.parse(builtin);
    available.push({ ...meta, bytes, installed: true, builtin: true });
  }
  for (const listed of manifest.generations) {
    const [{ oid, size }] = listed.artifacts;
    const isInstalled = (await fileBytes(files.path({ id: listed.id, oid }))) === size;
    const meta = generationMetaSchema.parse(listed);
    available.push({ ...meta, bytes: size, installed: isInstalled, builtin: false });
  }
  return available;
}
