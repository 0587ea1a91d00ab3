import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { commandCpuMs } from '../measure/command.ts';

/** What a GPX file holds mostly: some peers read one kind at a time. */
export type GpxKind = 'track' | 'places';
/** What peers read: GPX, or a file of another format, by its ending. */
export type PeerSource = GpxKind | '.fit' | '.tcx' | '.kml' | '.geojson' | '.csv' | '.nmea';

/** How gpsbabel and ogr2ogr are told what they read; ogr2ogr knows neither FIT, TCX nor NMEA. */
const sources: Readonly<Record<PeerSource, readonly [gpsbabel: string, ogr2ogr?: string]>> = {
  track: ['-t -i gpx', 'track_points'],
  places: ['-w -i gpx', 'waypoints'],
  '.fit': ['-t -i garmin_fit'],
  '.tcx': ['-t -i gtrnctr'],
  '.kml': ['-t -i kml', ''],
  '.geojson': ['-w -i geojson', ''],
  '.csv': ['-w -i unicsv', '-oo X_POSSIBLE_NAMES=lon -oo Y_POSSIBLE_NAMES=lat'],
  '.nmea': ['-t -i nmea'],
};

export function isPeerSource(name: string): name is PeerSource {
  return Object.hasOwn(sources, name);
}

/** Whether a peer reads such files. */
export function isRead(program: string | undefined, source: PeerSource): boolean {
  return program === 'gpsbabel' || sources[source][1] !== undefined;
}

/** Another program that reads GPX and writes something a user could go on with. */
export interface Peer {
  readonly program: 'gpsbabel' | 'ogr2ogr';
  /** Asks the program for its version. */
  readonly versionFlag: string;
  /** Words of each command line by which it reads the files and writes below `directory`; none where it does not know them. */
  readonly commands: (files: readonly string[], directory: string, kind: PeerSource) => string[][];
}

/** To GPX, and to SQLite. */
const peers: readonly Peer[] = [
  {
    program: 'gpsbabel',
    versionFlag: '-V',
    commands: (files, directory, kind) => [
      [
        ...words(sources[kind][0]),
        ...files.flatMap((file) => ['-f', file]),
        ...words('-o gpx -F'),
        join(directory, 'out.gpx'),
      ],
    ],
  },
  {
    program: 'ogr2ogr',
    versionFlag: '--version',
    commands: (files, directory, kind) => {
      const [, flags] = sources[kind];
      if (flags === undefined) return [];
      return files.map((file, index) => [
        ...words(index === 0 ? '-f SQLite' : '-f SQLite -append'),
        join(directory, 'out.sqlite'),
        file,
        ...words(flags),
      ]);
    },
  },
];

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
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

/** Has a peer read files; its output stays in `directory`. @returns CPU time, ms; undefined if it does not know them. */
export async function runPeer(
  peer: Peer,
  { files, directory, kind }: { files: readonly string[]; directory: string; kind: PeerSource },
): Promise<number | undefined> {
  const lines = peer.commands(files, directory, kind);
  let cpuMs: number | undefined = lines.length === 0 ? undefined : 0;
  for (const line of lines) {
    const spent = await commandCpuMs(peer.program, line);
    cpuMs = spent === undefined || cpuMs === undefined ? undefined : cpuMs + spent;
  }
  return cpuMs;
}
