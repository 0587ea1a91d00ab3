import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemHandOver } from '../../client/waypoints/node/places.ts';
import { seekDaemons } from '../../client/waypoints/node/seek-daemons.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import type { LogOptions } from '../../daemon/log.ts';
import { programVersion } from '../../daemon/version-info.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { VersionInfo } from '../../model/process.ts';
import { isForbidden } from '../terminal/access.ts';
import { endBySignal, watchSignals } from '../terminal/interrupts.ts';
import { invocation } from '../terminal/invocation.ts';
import { note } from '../terminal/output.ts';
import { counted } from '../terminal/text.ts';
import type { CommandContext } from './context.ts';
import { DaemonClient } from './daemon-client.ts';
import { manifestOption } from './geodata-manifest.ts';
import { askUntil } from './polling.ts';

export type RunningDaemon = NonNullable<Awaited<ReturnType<typeof findDaemon>>>;

interface DaemonUse {
  readonly context: CommandContext;
  /** The command adds data: it may create the data directory. Others fail without one. */
  readonly makesData?: boolean;
  /** The command needs the imported files: while a library is read after a start, it says so and waits. */
  readonly needsLibrary?: boolean;
  /** The first Ctrl-C aborts `stopped` instead of ending the command; a second one always ends it. */
  readonly endsInOrder?: boolean;
}

export interface Session {
  /** The daemon's data directory, which may differ from this command's. */
  readonly dataDirectory: string;
  /** Its reason is the signal of the system. */
  readonly stopped: AbortSignal;
}

/** Time to retry while another command holds the data, ms. */
const lockWaitMs = 20_000;
/** How long a command waits for the bookmarks file, ms: less than another command waits for this one. */
const mirrorMs = 15_000;
/** Pause between two tries, and time until a wait is explained, ms. */
const pauseMs = 200;
const noteMs = 1_000;

/**
 * Finds the running daemon through its hand-over file (contract A, row hand-over). With --data-dir, the
 * daemons of other directories are ignored. Names untrusted files on stderr and skips stale ones.
 * @throws RequestFailure `impostor` when another program answers at the daemon's port, and no daemon elsewhere
 */
export async function findDaemon(context: CommandContext) {
  const { paths, resolved } = context;
  const data = resolved.sources.data_dir === 'default' ? undefined : paths.data;
  let failure: RequestFailure | undefined;
  for await (const seen of seekDaemons(paths.handOverCandidates, data)) {
    // That the machine's own daemon is not this user's is nothing to be told about.
    if (seen.state === 'refused' && seen.file !== systemHandOver) {
      note(`Ignored ${seen.file}: ${seen.reason}.`);
    }
    if (seen.state === 'impostor') failure ??= seen.failure;
    if (seen.state !== 'running') continue;
    const { handOver, version } = seen;
    noteOtherVersion(version);
    return { client: new DaemonClient(handOver), handOver, version };
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

function noteOtherVersion(version: VersionInfo): void {
  const theirs = version.module.version;
  const ours = programVersion();
  if (theirs === ours) return;
  note(
    `The daemon is waypointd ${theirs}, this command is waypointd ${ours}: restart the daemon to have one version.`,
  );
}

/** Notes that `--port` does not choose a running daemon: it is where a new one listens. */
export function noteOtherPort({ resolved }: CommandContext, { handOver }: RunningDaemon): void {
  const { port } = resolved.settings;
  if (resolved.sources.port !== 'flag' || port === 0 || port === handOver.port) return;
  note(
    `--port ${port} is not used: this is the running daemon at port ${handOver.port}; --data-dir tells which one is meant.`,
  );
}

/**
 * Finds the running daemon, for commands that are about it.
 * @throws ExitError when no daemon runs.
 */
export async function requireDaemon(context: CommandContext): Promise<RunningDaemon> {
  const daemon = await findDaemon(context);
  if (daemon === undefined) throw new ExitError(await whyNone(context));
  noteOtherPort(context, daemon);
  return daemon;
}

/** Explains why no daemon was found: as a rule none runs, but one may have its hand-over file elsewhere. */
export async function whyNone({ paths }: CommandContext): Promise<string> {
  const { findLockHolder, heldSentence } = await import('../../daemon/lock-holder.ts');
  const holder = await findLockHolder(paths);
  if (holder !== undefined) return heldSentence(paths.data, holder);
  return `No daemon is running. Start one with: ${invocation()} serve`;
}

/**
 * Does something with the running daemon, or else with one that runs in this process for just this command, under the
 * same lock (contract A, row "CLI without a daemon").
 * @throws ExitError when the data cannot be opened.
 */
export async function withDaemon<T>(
  { context, endsInOrder = false, makesData = false, needsLibrary = false }: DaemonUse,
  use: (client: DaemonClient, session: Session) => Promise<T>,
): Promise<T> {
  const { client, dataDirectory, close } = await connect(context, makesData);
  const stop = new AbortController();
  using _signals = watchSignals((signal, isFirst) => {
    if (!isFirst) endBySignal(signal);
    if (!endsInOrder) return void close().finally(() => endBySignal(signal));
    note('Stopping …');
    stop.abort(signal);
  });
  try {
    if (needsLibrary) await untilLibraryIsRead(client);
    const result = await use(client, { dataDirectory, stopped: stop.signal });
    await close();
    return result;
  } catch (error) {
    // A full disk, say, also keeps a daemon from closing in order: what went wrong first is what to tell.
    await close().catch(() => undefined);
    throw error;
  }
}

async function connect(context: CommandContext, makesData: boolean) {
  const startedAt = performance.now();
  const explain = explainedWait();
  for (;;) {
    const daemon = await findDaemon(context);
    if (daemon !== undefined) {
      noteOtherPort(context, daemon);
      const dataDirectory = daemon.handOver.data_dir ?? context.paths.data;
      return { client: daemon.client, dataDirectory, close: async () => undefined };
    }
    if (!makesData) requireData(context);
    const waitedMs = performance.now() - startedAt;
    try {
      return await startHere(context);
    } catch (error) {
      const isLocked = error instanceof ExitError && error.exitCode === 75;
      if (!isLocked || waitedMs > lockWaitMs) throw error;
      // A command is soon done; a daemon is not, and would have been found where it should be.
      if (await isHeldByDaemon(context)) throw error;
    }
    explain('Waiting for another waypointd that has the data open …');
    await delay(pauseMs);
  }
}

async function isHeldByDaemon({ paths }: CommandContext): Promise<boolean> {
  const { findLockHolder } = await import('../../daemon/lock-holder.ts');
  return (await findLockHolder(paths))?.runtimeDirectory !== undefined;
}

/**
 * A mistyped directory must not become an empty one with a store in it.
 * @throws ExitError when there is nothing of ours at the data directory.
 */
function requireData({ paths, resolved }: CommandContext): void {
  // Only a daemon makes these.
  const { waypointsDatabase, libraryDatabase, backups, imports } = paths;
  if ([waypointsDatabase, libraryDatabase, backups, imports].some((path) => existsSync(path)))
    return;
  // Nothing can be told of a directory that may not be entered; opening it says what is wrong.
  if (isForbidden('run', paths.data)) return;
  const what = existsSync(paths.data)
    ? `There are no waypoints in the directory ${paths.data}`
    : `The data directory ${paths.data} does not exist`;
  const remedy =
    resolved.sources.data_dir === 'default'
      ? `Begin with: ${invocation()} import FOLDER, or ${invocation()} bookmark add`
      : 'Is it spelled right? "import", "bookmark add" and "serve" make a new one.';
  throw new ExitError(`${what}. ${remedy}`);
}

async function startHere(context: CommandContext) {
  const { resolved, paths } = context;
  // The log is no part of a command's output unless log_level asks for it.
  const level = resolved.sources.log_level === 'default' ? 'error' : resolved.settings.log_level;
  const own = await startOwnDaemon(context, { level });
  note(`No daemon is running: this command opened ${paths.data} itself.`);
  return { ...own, dataDirectory: paths.data };
}

/**
 * A daemon in this process, for one command. Unless it is to be found, it has no hand-over file, and leaves what comes
 * into watched folders to one that stays.
 */
export async function startOwnDaemon(
  context: CommandContext,
  { level, isFound = false }: { readonly level: LogOptions['level']; readonly isFound?: boolean },
) {
  const { startDaemon } = await import('../../daemon/daemon.ts');
  const { openLog } = await import('../../daemon/log.ts');
  const { paths, resolved } = context;
  const settings = isFound ? resolved.settings : { ...resolved.settings, watch_dirs: [] };
  const log = await openLog({ level, file: settings.log_file });
  const geodata = await manifestOption(context);
  const daemon = await startDaemon({
    settings,
    paths,
    log,
    handOver: isFound,
    port: 0,
    ...geodata,
  });
  async function close(): Promise<void> {
    await daemon.close(mirrorMs);
    await log.close();
  }
  return { client: new DaemonClient(daemon), url: daemon.url, close };
}

/** Turns a refusal into the command's sentence for its status; other errors are returned as they are. */
export function inWords(error: unknown, sentences: Readonly<Record<number, string>>): unknown {
  const sentence = error instanceof RequestFailure ? sentences[error.status] : undefined;
  return sentence === undefined ? error : new ExitError(sentence);
}

/**
 * Waits while the daemon reads its library after a start. Lists wait for it there as well, but a lost library takes
 * longer than a request may.
 */
async function untilLibraryIsRead(client: DaemonClient): Promise<void> {
  const explain = explainedWait();
  await askUntil(
    async () => (await client.getStatus()).library,
    ({ state }) => state !== 'reading',
    ({ files_done: done, files_total: total }) => {
      const so = `${done.toLocaleString('en-US')} of ${counted(total, 'file')} done`;
      explain(`The library is being read, ${so}; this waits for it …`);
    },
  );
}

/** A wait that a person would notice is explained, once. */
function explainedWait(): (reason: string) => void {
  const startedAt = performance.now();
  let isNoted = false;
  return (reason) => {
    if (!isNoted && performance.now() - startedAt >= noteMs) {
      note(reason);
      isNoted = true;
    }
  };
}
