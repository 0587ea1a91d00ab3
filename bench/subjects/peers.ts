import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runCommand, type CommandCost } from '../measure/command.ts';

/** What a GPX file holds mostly: some peers read one kind at a time. */
export type GpxKind = 'track' | 'places';

/** Another program that reads GPX and writes something a user could go on with. */
export interface Peer {
  /** Program and what it is asked to do. */
  readonly name: string;
  readonly program: string;
  /** Asks the program for its version. */
  readonly versionFlag: string;
  /** Words of each command line by which it reads the files and writes below `directory`. */
  readonly commands: (files: readonly string[], directory: string, kind: GpxKind) => string[][];
}

const gpsbabel: Peer = {
  name: 'gpsbabel gpx to gpx',
  program: 'gpsbabel',
  versionFlag: '-V',
  commands: (files, directory, kind) => [
    [
      ...words(kind === 'track' ? '-t -i gpx' : '-w -i gpx'),
      ...files.flatMap((file) => ['-f', file]),
      ...words('-o gpx -F'),
      join(directory, 'out.gpx'),
    ],
  ],
};

const ogr2ogr: Peer = {
  name: 'ogr2ogr to SQLite',
  program: 'ogr2ogr',
  versionFlag: '--version',
  commands: (files, directory, kind) =>
    files.map((file, index) => [
      ...words(index === 0 ? '-f SQLite' : '-f SQLite -append'),
      join(directory, 'out.sqlite'),
      file,
      kind === 'track' ? 'track_points' : 'waypoints',
    ]),
};

const peers: readonly Peer[] = [gpsbabel, ogr2ogr];

function words(text: string): string[] {
  return text.split(' ');
}

/** Tells which peers run here, saying what they are, and prints a line for each that does not. */
export function installedPeers(say: (line: string) => void): Peer[] {
  return peers.filter((peer) => {
    const version = versionOf(peer);
    say(
      version === undefined
        ? `skipped: ${peer.program} is not installed, so nothing is compared with it`
        : `compared with ${version}`,
    );
    return version !== undefined;
  });
}

/** The versions of the peers that run here, for the results. */
export function peerVersions(): string[] {
  return peers.map(versionOf).filter((version) => version !== undefined);
}

function versionOf({ program, versionFlag }: Peer): string | undefined {
  const { status, stdout } = spawnSync(program, [versionFlag], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n', 1)[0] : undefined;
}

/** Has a peer read files; its output stays in `directory`. */
export async function runPeer(
  peer: Peer,
  options: { files: readonly string[]; directory: string; kind: GpxKind },
): Promise<CommandCost> {
  const costs: CommandCost[] = [];
  for (const line of peer.commands(options.files, options.directory, options.kind)) {
    costs.push(await runCommand(peer.program, line));
  }
  const sum = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
  const cpuMs = sum(costs.map((cost) => cost.cpuMs));
  return {
    cpuMs: Number.isNaN(cpuMs) ? undefined : cpuMs,
    peakResidentMb: Math.max(...costs.map((cost) => cost.peakResidentMb ?? 0)),
    wallMs: sum(costs.map((cost) => cost.wallMs)),
  };
}
