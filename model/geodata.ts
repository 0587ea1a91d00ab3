import * as z from 'zod';
import { lat, lon, text } from './schema.ts';
import { timelineDatasetSchema } from './timeline-result.ts';

/** The id of a generation; safe as part of a file name on every system. */
const generationId = z.string().regex(/^[a-z0-9][a-z0-9.-]{1,40}$/);
/** The SHA-256 of a file in lower-case hex, which names it in object storage. */
const objectId = z.string().regex(/^[0-9a-f]{64}$/);

/** Stands for the generation that ships with the program, which has no object id; no hosted one may be called so. */
export const builtinGeneration = 'builtin';

/** Text that a status may show: no addresses, no paths. */
const label = text(1_000).refine((value) => !/[/\\]/u.test(value));

/** Dataset of a generation, also in timelines that were made with it. */
const datasetFields = timelineDatasetSchema.shape;
export const generationMetaSchema = z.object({ id: z.string(), ...datasetFields });

/** Where data may be fetched from: https, or http on this machine. */
const endpoint = z.string().refine((value) => {
  const url = URL.parse(value);
  if (url === null) return false;
  const { protocol, hostname, username, password, search, hash } = url;
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal);
  return isSafe && username + password + search + hash === '';
});

const artifactSchema = z.strictObject({
  role: z.literal('gazetteer'),
  oid: objectId,
  /** Bytes. */
  size: z.int().min(1).max(1_073_741_824),
  media_type: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/u),
});
export type GeodataArtifact = z.output<typeof artifactSchema>;

/** A position and what a generation has to say about it before it may be used; names and ids as in AdminPlace. */
const probeSchema = z.strictObject({
  lat,
  lon,
  country_id: z.string(),
  region: z.string().optional(),
  locality: z.string().optional(),
});
export type GeodataProbe = z.output<typeof probeSchema>;

const hostedGenerationSchema = z.strictObject({
  id: generationId.refine((id) => id !== builtinGeneration),
  dataset_version: label,
  source_version: label,
  attribution: label,
  license: label,
  /** A generation is one file; the API counts them all the same. */
  artifacts: z.tuple([artifactSchema]),
  probes: z.array(probeSchema).max(1_000),
});
export type HostedGeneration = z.output<typeof hostedGenerationSchema>;

/** The hosted generations that a version of the program knows, and where they may be fetched; tried in order. */
export const manifestSchema = z
  .strictObject({
    schema: z.literal(1),
    endpoints: z.array(endpoint).max(8),
    generations: z.array(hostedGenerationSchema).max(64),
  })
  .refine(({ generations }) => isUnique(generations.map(({ id }) => id)));
export type GeodataManifest = z.output<typeof manifestSchema>;

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

const reference = { id: generationId, oid: objectId.nullable() };
const referenceSchema = z.object(reference);
/** Names a generation: a hosted one by its id and the object id of its file, the builtin one by `builtin` and null. */
export type GenerationReference = z.output<typeof referenceSchema>;

/** The content of the file that says which generation is in use, and which was before; without it the builtin one is. */
export const pointerSchema = z.object({ ...reference, previous: referenceSchema.nullable() });
export type GenerationPointer = z.output<typeof pointerSchema>;

const bytes = z.int().min(0);

const availableSchema = generationMetaSchema.extend({
  bytes,
  installed: z.boolean(),
  builtin: z.boolean(),
});

/** A generation as the status shows it; `generation_id` is empty where there is none. */
const generationStatusSchema = z
  .object({
    generation_id: z.string(),
    ...datasetFields,
    installed: z.boolean(),
    /** It can be read, and nothing wrong was found in it. */
    valid: z.boolean(),
    bytes,
    /** When its content was last checked whole; null before the first time since the start. */
    verified_at: z.iso.datetime().nullable(),
    /** Another one should be in use, but is damaged or missing. */
    degraded: z.boolean(),
    builtin: z.boolean(),
  })
  .meta({ id: 'GeodataGeneration' });
export type GenerationStatus = z.output<typeof generationStatusSchema>;

/** Why an install failed; fixed words (contract E). */
export const installErrors = [
  'offline',
  'not_found',
  'unauthorized',
  'rate_limited',
  'mismatch',
  'disk_full',
  'unsupported_schema',
  'stalled',
  'io',
] as const;
export type InstallErrorCode = (typeof installErrors)[number];

const installStatusSchema = z.object({
  state: z.enum(['idle', 'installing', 'installed', 'failed', 'cancelled']),
  generation_id: z.string().optional(),
  phase: z.enum(['downloading', 'verifying', 'activating']).optional(),
  progress: z.object({
    artifact_index: z.int().min(0),
    artifact_count: z.int().min(0),
    bytes,
    total_bytes: bytes,
  }),
  error: z.enum(installErrors).optional(),
});
export type InstallStatus = z.output<typeof installStatusSchema>;

export const geodataStatusSchema = z.object({
  available: z.array(availableSchema),
  current: generationStatusSchema,
  previous: generationStatusSchema,
  install: installStatusSchema,
});
export type GeodataStatus = z.output<typeof geodataStatusSchema>;

export const installRequestSchema = z.strictObject({ generation_id: z.string().min(1).max(64) });
export const installAnswerSchema = z.object({ status: z.enum(['accepted', 'installed']) });
export const installCancelSchema = z.object({ status: z.literal('cancelling') });
