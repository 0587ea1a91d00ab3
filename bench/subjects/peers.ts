import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { commandCpuMs } from '../measure/command.ts';

/** What a GPX file holds mostly: some peers read one kind at a time. */
export type GpxKind = 'track' | 'places';
/** Another program that reads GPX and writes something a user could go on with. */
export interface Peer {
  readonly program: 'gpsbabel' | 'ogr2ogr';
  /** Asks the program for its version. */
  readonly versionFlag: string;
  /** Words of each command line by which it reads the files and writes below `directory`. */
  readonly commands: (files: readonly string[], directory: string, kind: GpxKind) => string[][];
}

/** To GPX, and to SQLite. */
const peers: readonly Peer[] = [
  {
    program: 'gpsbabel',
    versionFlag: '-V',
    commands: (files, directory, kind) => [
      [
        kind === 'track' ? '-t' : '-w',
        ...words('-i gpx'),
        ...files.flatMap((file) => ['-f', file]),
        ...words('-o gpx -F'),
        join(directory, 'out.gpx'),
      ],
    ],
  },
  {
    program: 'ogr2ogr',
    versionFlag: '--version',
    commands: (files, directory, kind) =>
      files.map((file, index) => [
        ...words(index === 0 ? '-f SQLite' : '-f SQLite -append'),
        join(directory, 'out.sqlite'),
        file,
        kind === 'track' ? 'track_points' : 'waypoints',
      ]),
  },
];

function words(text: string): string[] {
  return text.split(' ');
}

/** Tells which peers run here, and prints a line for each that does not. */
export function installedPeers(say: (line: string) => void): Peer[] {
  return peers.filter((peer) => {
    const isInstalled = versionOf(peer) !== undefined;
    if (!isInstalled)
      say(`skipped: ${peer.program} is not installed, so nothing is compared with it`);
    return isInstalled;
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

/** Has a peer read files; its output stays in `directory`. @returns CPU time, ms; undefined where it cannot be measured. */
export async function runPeer(
  peer: Peer,
  { files, directory, kind }: { files: readonly string[]; directory: string; kind: GpxKind },
): Promise<number | undefined> {
  let cpuMs: number | undefined = 0;
  for (const line of peer.commands(files, directory, kind)) {
    const spent = await commandCpuMs(peer.program, line);
    cpuMs = spent === undefined || cpuMs === undefined ? undefined : cpuMs + spent;
  }
  return cpuMs;
}
