import { checkGeneration } from '../geodata/check.ts';
import { UnusableGeneration } from '../geodata/generation.ts';
import type { GeodataProbe } from '../model/geodata.ts';
import { hashFile } from '../storage/hash-file.ts';

export interface GenerationCheck {
  readonly path: string;
  /** Its SHA-256 in lower-case hex; null where nobody knows it. */
  readonly sha256: string | null;
  readonly probes: readonly GeodataProbe[];
}

/** `mismatch`: it is not what it should be, or does not know what it should. */
export type CheckVerdict = 'sound' | 'mismatch' | 'unsupported_schema' | 'io';

/** The task of the geodata worker: looks at all of a generation before it is put to use. */
export async function checkWhole(check: GenerationCheck): Promise<CheckVerdict> {
  const { path, sha256, probes } = check;
  try {
    if (sha256 !== null && (await hashFile(path)) !== sha256) return 'mismatch';
    checkGeneration(path, probes);
    return 'sound';
  } catch (error) {
    if (!(error instanceof UnusableGeneration) || error.reason === 'missing') return 'io';
    return error.reason === 'damaged' ? 'mismatch' : error.reason;
  }
}
