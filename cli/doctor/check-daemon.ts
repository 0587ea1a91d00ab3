import { dirname } from 'node:path';
import { distrustDirectory } from '../../client/waypoints/node/hand-over-file.ts';
import { systemHandOver } from '../../client/waypoints/node/places.ts';
import type { HandOver } from '../../model/process.ts';
import type { DaemonStatus } from '../../model/status.ts';
import { seekDaemons, type SeenHandOver } from '../../client/waypoints/node/seek-daemons.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { findLockHolder, heldSentence } from '../../daemon/lock-holder.ts';
import type { Paths } from '../../daemon/paths.ts';
import { programVersion } from '../../daemon/version-info.ts';
import type { RunningDaemon } from '../program/connection.ts';
import { DaemonClient } from '../program/daemon-client.ts';
import { isForbidden } from '../terminal/access.ts';
import { invocation } from '../terminal/invocation.ts';
import { counted } from '../terminal/text.ts';
import { findingsOf, type Finding } from './finding.ts';

/** A daemon of this user that answers; `status` is undefined when it does not tell. */
export type SeenDaemon = Pick<RunningDaemon, 'handOver' | 'version'> & {
  readonly status: DaemonStatus | undefined;
};

const newToken =
  'Stop the daemon, remove the file and start the daemon again: that makes another token.';
const newPort = 'Start the daemon again; where its port stays taken, choose another with --port.';

/**
 * Finds the daemon of the data directory, and checks the hand-over files in the usual places.
 * @returns also whether any process has the data directory open.
 */
export async function checkDaemon(paths: Paths) {
  const findings: Finding[] = [];
  let daemon: SeenDaemon | undefined;
  for await (const seen of seekDaemons(paths.handOverCandidates, paths.data)) {
    const finding = findingOf(seen, paths);
    if (finding !== undefined) findings.push(finding);
    if (seen.state !== 'running') continue;
    const { handOver, version } = seen;
    daemon ??= { handOver, version, status: await askStatus(handOver) };
  }
  const holder = await findLockHolder(paths);
  const isHeld = daemon !== undefined || holder !== undefined;
  const held = isHeld && daemon === undefined ? heldSentence(paths.data, holder) : undefined;
  return { findings: [...describe(daemon, held), ...findings], daemon, isHeld };
}

function findingOf(seen: SeenHandOver, paths: Paths): Finding | undefined {
  const { ok, note, problem } = findingsOf('hand-over file');
  const { file } = seen;
  switch (seen.state) {
    case 'refused':
      if (file === systemHandOver || isFaultOfOurs(file, paths)) return undefined;
      return problem(`${file} is not to be trusted: ${seen.reason}`, newToken);
    case 'foreign':
      return note(`${file} is of the daemon of another data directory`);
    case 'stale':
      return note(
        `${file} was left by a daemon that does not run any more; the next one replaces it`,
      );
    case 'impostor':
      return problem(`Another program answers on the daemon's port ${seen.handOver.port}`, newPort);
    case 'running':
      return ok(file);
  }
}

/** Tells whether the directory is at fault, which has a check of its own. */
function isFaultOfOurs(file: string, { data, runtime }: Paths): boolean {
  const directory = dirname(file);
  if (directory !== data && directory !== runtime) return false;
  return isForbidden('enter', directory) || distrustDirectory(directory) !== undefined;
}

async function askStatus(handOver: HandOver): Promise<DaemonStatus | undefined> {
  try {
    return await new DaemonClient(handOver).getStatus();
  } catch (error) {
    if (error instanceof RequestFailure) return undefined;
    throw error;
  }
}

function* describe(
  daemon: SeenDaemon | undefined,
  held: string | undefined,
): Generator<Finding, void> {
  const { ok, note, warning } = findingsOf('daemon');
  if (daemon === undefined)
    return yield held === undefined ? note('None is running') : warning(held);
  const { handOver, version, status } = daemon;
  yield ok(`Running at ${handOver.url} (process ${handOver.pid})`);
  const theirs = version.module.version;
  if (theirs !== programVersion()) {
    yield warning(
      `The daemon is waypointd ${theirs}, this command is waypointd ${programVersion()}`,
      'Restart the daemon to have one version.',
    );
  }
  if (status?.library.state === 'reading') {
    const { files_done, files_total } = status.library;
    yield note(`It is reading the library: ${files_done} of ${files_total} files done`);
  } else if (status?.library.state === 'incomplete') {
    const remedy = 'Its log says why; the next start, or the next import, tries again.';
    yield warning('It could not read all files of imports/', remedy);
  }
  const deletions = status?.bookmarks_file?.deletions_waiting;
  if (deletions !== undefined) {
    yield warning(
      `The bookmarks file would delete ${counted(deletions, 'waypoint')}, so it is not merged`,
      `Say what is meant: ${invocation()} bookmarks merge --accept, or --discard`,
    );
  }
}
