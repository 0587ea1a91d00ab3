import { versionSchema, type HandOver, type VersionInfo } from '../../../model/process.ts';
import { RequestFailure } from '../request-failure.ts';
import { readHandOver, servesDataDirectory } from './hand-over-file.ts';
import { WaypointService } from './node-service.ts';
import type { Endpoint } from './transport.ts';

/**
 * A hand-over file that is there: not to be trusted, of another data directory, left behind, of a daemon in whose place
 * another program answers, or of one that runs.
 */
export type SeenHandOver = { readonly file: string } & (
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'foreign' | 'stale'; readonly handOver: HandOver }
  | { readonly state: 'impostor'; readonly handOver: HandOver; readonly failure: RequestFailure }
  | { readonly state: 'running'; readonly handOver: HandOver; readonly version: VersionInfo }
);

/**
 * Looks at the hand-over files in these places, in this order, and asks each daemon whether it is there.
 * @param data the data directory that is meant; undefined when any is
 */
export async function* seekDaemons(
  candidates: readonly string[],
  data: string | undefined,
): AsyncGenerator<SeenHandOver> {
  for (const file of candidates) {
    const reading = await readHandOver(file);
    if (reading.found === 'refused') yield { file, state: 'refused', reason: reading.reason };
    if (reading.found !== 'hand-over') continue;
    const { handOver } = reading;
    if (data !== undefined && !servesDataDirectory(handOver, data)) {
      yield { file, state: 'foreign', handOver };
      continue;
    }
    const version = await probeDaemon(handOver);
    if (version === undefined) yield { file, state: 'stale', handOver };
    else if (version instanceof RequestFailure)
      yield { file, state: 'impostor', handOver, failure: version };
    else yield { file, state: 'running', handOver, version };
  }
}

/**
 * Asks a daemon for its version.
 * @returns undefined when nothing answers there or the token is not its own, the failure when an impostor answers.
 */
async function probeDaemon({
  port: apiPort,
  token: apiToken,
  proof,
}: Endpoint): Promise<VersionInfo | RequestFailure | undefined> {
  const service = new WaypointService({ apiPort, apiToken, apiProves: proof === 1 });
  try {
    return versionSchema.safeParse(await service.request('/api/version')).data;
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    return error.isImpostor ? error : undefined;
  }
}
