import { readFile } from 'node:fs/promises';
import { hashFileOf, readGenerationInfo } from '../../geodata/generation.ts';
import type { GenerationReference, HostedReference } from '../../model/geodata.ts';
import type { TimelineDataset } from '../../model/timeline-result.ts';
import { fileBytes } from './generation-files.ts';

/** A generation that is there and that this program can read. */
export interface Generation {
  readonly reference: GenerationReference;
  /** What it calls itself. */
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly dataset: TimelineDataset;
}

/** Looks at a generation; undefined when it is missing, damaged or of a format that this program does not know. */
export async function inspectGeneration(
  reference: GenerationReference,
  path: string,
): Promise<Generation | undefined> {
  const bytes = await fileBytes(path);
  if (bytes === undefined) return undefined;
  try {
    const { id, dataset_version, source_version, attribution, license } = readGenerationInfo(path);
    const dataset = { dataset_version, source_version, attribution, license };
    return { reference, id, path, bytes, dataset };
  } catch {
    return undefined; // The caller falls back, and says so.
  }
}

/** The SHA-256 that a generation has to have; null where the build has left no word of the builtin one's. */
export async function expectedHash(
  reference: GenerationReference,
  path: string,
): Promise<string | null> {
  if (reference.oid !== null) return reference.oid;
  const text = await readFile(hashFileOf(path), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}(?=\s*$)/u.exec(text)?.[0] ?? null;
}

export function isSameGeneration(a: GenerationReference, b: GenerationReference): boolean {
  return a.id === b.id && a.oid === b.oid;
}

export function isHosted(reference: GenerationReference): reference is HostedReference {
  return reference.oid !== null;
}
