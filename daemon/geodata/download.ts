import type { GeodataArtifact } from '../../model/geodata.ts';

export interface ArtifactRequest {
  readonly artifact: GeodataArtifact;
  /** Base addresses of object storage, to be tried in this order. */
  readonly endpoints: readonly string[];
  /** Where the artifact goes, in a directory that is there; what lies there already may be its beginning. */
  readonly path: string;
  /** To be told how many bytes lie there. */
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Brings an artifact in whole; whether its content is right is looked at afterwards.
 * @throws InstallFailed with the word for it; anything once the signal is aborted.
 */
export type Download = (request: ArtifactRequest) => Promise<void>;
