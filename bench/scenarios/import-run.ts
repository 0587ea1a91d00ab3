import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedSource } from '../data.ts';
import { medianOf } from '../measure/statistics.ts';
import type { CommandCost } from '../measure/command.ts';
import type { Session } from '../session.ts';
import { runPeer, type GpxKind, type Peer } from '../subjects/peers.ts';

/** What one import cost the daemon, its start not counted. */
export interface ImportCost {
  readonly cpuMs: number | undefined;
  readonly wallMs: number;
  readonly peakResidentMb: number | undefined;
  /** Size of `library.sqlite` afterwards. */
  readonly storedBytes: number;
}

/** Imports a source into a new daemon of its own, whose directories are left to `done`; they are deleted by default. */
export async function importOnce(
  session: Session,
  source: GeneratedSource,
  done: (root: string) => void = (root) => session.discard(root),
): Promise<ImportCost> {
  const root = session.directory();
  const daemon = await session.daemon(root);
  const before = daemon.cpuMs();
  const started = performance.now();
  const result = await daemon.importDirectory(source.directory);
  const wallMs = performance.now() - started;
  const after = daemon.cost();
  await session.stop(daemon);
  if (result.observations !== source.points) {
    throw new Error(`${result.observations} of ${source.points} points were imported`);
  }
  const storedBytes = statSync(join(root, 'data/library.sqlite')).size;
  done(root);
  return {
    cpuMs: after === undefined || before === undefined ? undefined : after.cpuMs - before,
    wallMs,
    peakResidentMb: after?.peakResidentMb,
    storedBytes,
  };
}

/** What the daemon and each installed peer need for one source, round after round in turn. */
export interface Comparison {
  readonly own: ImportCost[];
  readonly peers: ReadonlyMap<Peer, CommandCost[]>;
}

/** Has the daemon and the peers read a source in turn. A peer that fails is left out from then on. */
export async function compareImport(
  session: Session,
  source: GeneratedSource,
  { kind, rounds }: { readonly kind: GpxKind; readonly rounds: number },
): Promise<Comparison> {
  const own: ImportCost[] = [];
  const peers = new Map<Peer, CommandCost[]>(session.peers().map((peer) => [peer, []]));
  for (let round = 0; round < rounds; round += 1) {
    own.push(await importOnce(session, source));
    for (const [peer, costs] of peers) {
      const directory = session.directory();
      try {
        costs.push(await runPeer(peer, { files: source.files, directory, kind }));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        session.say(`not compared with ${peer.name}: ${reason}`);
        peers.delete(peer);
      }
      session.discard(directory);
    }
  }
  return { own, peers };
}

/** Megabytes or points for each second of CPU time (the median over all rounds); undefined below one step of 10 ms. */
export function rate(
  amount: number,
  costs: readonly { readonly cpuMs: number | undefined }[],
): number | undefined {
  const cpuMs = medianOf(costs.map((cost) => cost.cpuMs));
  return cpuMs === undefined || cpuMs === 0 ? undefined : (amount / cpuMs) * 1_000;
}
