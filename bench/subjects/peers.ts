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
  /** Words of the command line that reads `file` and writes below `directory`. */
  readonly words: (file: string, directory: string, kind: GpxKind) => string[];
}

const gpsbabel: Peer = {
  name: 'gpsbabel gpx to gpx',
  program: 'gpsbabel',
  versionFlag: '-V',
  words: (file, directory, kind) => [
    kind === 'track' ? '-t' : '-w',
    ...words('-i gpx -f'),
    file,
    ...words('-o gpx -F'),
    join(directory, 'out.gpx'),
  ],
};

const ogr2ogr: Peer = {
  name: 'ogr2ogr to SQLite',
  program: 'ogr2ogr',
  versionFlag: '--version',
  words: (file, directory, kind) => [
    ...words('-f SQLite'),
    join(directory, 'out.sqlite'),
    file,
    kind === 'track' ? 'track_points' : 'waypoints',
  ],
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

/** Has a peer read a file; its output stays in `directory`. */
export function runPeer(
  peer: Peer,
  options: { readonly file: string; readonly directory: string; readonly kind: GpxKind },
): Promise<CommandCost> {
  return runCommand(peer.program, peer.words(options.file, options.directory, options.kind));
}
