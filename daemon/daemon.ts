import { createHttpServer, type HttpServer } from '../http/server.ts';
import { limits } from '../model/limits.ts';
import { systemClock, type Clock, type Log } from '../model/process.ts';
import type { Settings } from '../model/settings.ts';
import { ReaderPool } from '../storage/reader-pool.ts';
import { Changes } from './changes/changes.ts';
import { chooseGeocoders } from './geocoders/choose-geocoders.ts';
import { Geodata, type GeodataOverrides } from './geodata/geodata.ts';
import { newToken, tokenCheck, waypointGuards } from './guard.ts';
import { newHandOver, removeHandOver, writeHandOver } from './hand-over.ts';
import { openImports } from './import/open-imports.ts';
import type { LibraryWork } from './import/library-work.ts';
import { listen } from './listen.ts';
import { openLocation } from './location/open-location.ts';
import { followChange, indexStore } from './follow-store.ts';
import { BookmarksMirror } from './mirror/mirror.ts';
import type { RunningObjects } from './objects/start.ts';
import type { Paths } from './paths.ts';
import { apiRoutes } from './routes/all.ts';
import type { Schedule } from './schedule.ts';
import type { Geocoder } from './geocoders/geocoder.ts';
import { WaypointIndex } from '../search/waypoint-index.ts';
import { checkTogether } from './settings.ts';
import { RollingBackups } from './rolling-backups.ts';
import { WatchedFolders } from './watch/watched-folders.ts';
import { Strangers } from '../http/strangers.ts';
import { openStores, type OpenedStores } from './stores.ts';
import type { TimelineOverrides } from './timelines/jobs.ts';
import { openTimelines } from './timelines/open-timelines.ts';
import { TrackMaps } from './tiles/track-maps.ts';

export interface DaemonOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly log: Log;
  readonly clock?: Clock;
  /** Whether other programs are to find this daemon: written to the hand-over file after `listen`. */
  readonly handOver: boolean;
  /** Listens here instead of at the configured port; 0 takes any free one. */
  readonly port?: number;
  /** A socket inherited from a service manager, instead of the port. */
  readonly socket?: { readonly fd: number };
  /** Ends a start that waits for its port: it rejects with the reason then. */
  readonly signal?: AbortSignal;
  /** Tests bring their own. */
  readonly schedule?: Schedule;
  /** Accept a new store beside the remains of a lost one (`serve --new-store`). */
  readonly newStore?: boolean;
  /** Tests bring a gpsd on another port. */
  readonly gpsdPort?: number;
  /** Another list of generations (`serve --geodata-manifest`); tests also bring another builtin one. */
  readonly geodata?: GeodataOverrides;
  /** Tests bring smaller bounds and workers of their own. */
  readonly timelines?: TimelineOverrides;
}

export interface Daemon {
  readonly url: string;
  /** Where the object server beside it answers, if the settings want one. */
  readonly objectsUrl: string | undefined;
  readonly port: number;
  readonly token: string;
  /** Watches these folders from now on and no others. @param dirs absolute. */
  readonly watch: (dirs: readonly string[]) => void;
  /** Stops in order: no more connections, jobs cancelled, requests finished (≤ 5 s), everything on disk. */
  readonly close: () => Promise<void>;
  /** Resolves once closed. */
  readonly closed: Promise<void>;
}

/**
 * Builds all parts of a daemon and starts it.
 * @throws ExitError with the exit code that says why
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { clock = systemClock } = options;
  checkTogether(options.settings);
  const whole = { ...options, clock };
  const stores = await openStores(whole);
  let objects: RunningObjects | undefined;
  try {
    objects = await objectsBeside(whole);
    return await startBeside(objects, stores, whole);
  } catch (error) {
    await objects?.close(0);
    stores.close();
    throw error;
  }
}

type StartOptions = DaemonOptions & { readonly clock: Clock };

/** Loaded only where it is wanted. */
async function objectsBeside(options: StartOptions): Promise<RunningObjects | undefined> {
  if (!options.settings.objects) return undefined;
  const { startObjects } = await import('./objects/start.ts');
  return startObjects(options);
}

async function startBeside(
  objects: RunningObjects | undefined,
  stores: OpenedStores,
  options: StartOptions,
): Promise<Daemon> {
  const { settings, paths, log, clock } = options;
  const parts = buildParts(stores, options);
  const cachePath = paths.geocodeDatabase;
  const places = { settings, cachePath, clock, log };
  const geocoders = await chooseGeocoders(parts.geodata.places, places);
  const token = newToken();
  const strangers = new Strangers(limits.strangers);
  const server = createHttpServer({
    routes: apiRoutes({
      ...parts,
      token,
      strangers,
      store: stores.store,
      geocoders,
      clock,
      isHistoryKept: settings.history,
    }),
    guards: waypointGuards({
      allowedHosts: settings.allowed_hosts,
      isToken: tokenCheck(token),
      strangers,
    }),
    onConnection: (socket) => strangers.add(socket),
    // An upload may take long; what is read as a whole may not.
    limits: { requestTimeoutMs: 0, jsonBodyMs: limits.requestTimeoutMs },
    prefix: '/api/',
    notFound: 'no_pages',
    log,
  });
  const { port, withdraw } = await open(server, token, options).catch(async (error: unknown) => {
    await Promise.allSettled([server.close(0), parts.imports.close(), parts.mirror.close()]);
    await parts.readers.close();
    throw error;
  });
  const url = `http://127.0.0.1:${port}`;
  // A failure is logged there; clusters and suggest answer with it until an import mends the library.
  parts.library.reconcile(stores.isLibraryEmpty).catch(() => {});
  for (const part of [parts.mirror, parts.geodata, parts.backups, parts.watch]) part.start();
  log.info('daemon.ready', { port });

  let closing: Promise<void> | undefined;
  const ended = Promise.withResolvers<void>();
  return {
    url,
    objectsUrl: objects?.url,
    port,
    token,
    watch: (dirs) => parts.watch.follow(dirs),
    closed: ended.promise,
    close() {
      closing ??= stop({ ...parts, geocoders, objects, stores, server, withdraw, log }).then(
        ended.resolve,
        ended.reject,
      );
      return closing.then(() => ended.promise);
    },
  };
}

function buildParts(
  { store, isLibraryWhole: wasLibraryWhole }: OpenedStores,
  options: StartOptions,
) {
  const { settings, paths, log, clock, gpsdPort, schedule } = options;
  const index = new WaypointIndex();
  const readers = new ReaderPool({
    waypointsPath: paths.waypointsDatabase,
    libraryPath: paths.libraryDatabase,
    size: limits.streams,
  });
  const opened = openImports({ store, index, wasLibraryWhole, paths, clock, log });
  const { library } = opened;
  const geodata = new Geodata({ directory: paths.geodata, clock, log }, options.geodata);
  const told = openTimelines({ store, library, geodata }, options);
  const maps = new TrackMaps(paths.libraryDatabase, schedule);
  const mirror = new BookmarksMirror({
    path: paths.bookmarksFile,
    backupsDirectory: paths.backups,
    waypointsPath: paths.waypointsDatabase,
    store,
    log,
    clock,
    isWatched: true,
    libraryReady: () => library.ready,
  });
  indexStore(store, index);
  store.isLibraryWhole = () => library.isWhole;
  store.onChange = (change) => {
    followChange(store, index, change);
    // What was merged is in the bookmarks file.
    if (change.kind !== 'merge') mirror.touch();
  };
  const changes = new Changes({
    store,
    libraryReady: () => library.ready,
    undoImports: (change) => opened.files.undo(change),
  });
  const location = openLocation({ settings, clock, log, gpsdPort });
  const backups = new RollingBackups({ paths, clock, log, ...(schedule && { schedule }) });
  const watch = openWatch(library, options);
  const own = { mirror, changes, location, backups, watch };
  return { ...opened, ...own, index, readers, geodata, maps, ...told };
}

function openWatch(library: LibraryWork, { settings, paths, log, schedule }: StartOptions) {
  const own = [paths.data, paths.cache, paths.runtime, paths.config];
  return new WatchedFolders({ dirs: settings.watch_dirs, own, library, log, schedule });
}

/** Listens and, if other programs are to find this daemon, says where; `withdraw` takes that back. */
async function open(
  server: HttpServer,
  token: string,
  options: StartOptions,
): Promise<{ port: number; withdraw: () => Promise<void> }> {
  const { paths, settings, clock, socket, handOver } = options;
  const { port } = await listen(server, { port: options.port ?? settings.port, socket }, options);
  if (!handOver) return { port, withdraw: () => Promise.resolve() };
  const daemon = { port, token, started: clock.now(), dataDirectory: paths.data };
  const content = newHandOver(daemon);
  const file = await writeHandOver(paths, content);
  return { port, withdraw: () => removeHandOver(file, content.instance) };
}

/** Each step is tried whatever became of the one before: the stores must be closed in any case. */
async function stop(
  parts: ReturnType<typeof buildParts> & {
    geocoders: readonly Geocoder[];
    objects: RunningObjects | undefined;
    stores: OpenedStores;
    server: HttpServer;
    withdraw: () => Promise<void>;
    log: Log;
  },
): Promise<void> {
  const { imports, maps, timelines, whole, location, mirror, readers, server, stores, watch } =
    parts;
  const { geocoders, geodata, objects, withdraw, log } = parts;
  log.info('daemon.stopping');
  // An import answers its request only when it has ended, so it is cancelled while the server finishes requests.
  const results = await Promise.allSettled([
    watch.close().then(() => imports.close()),
    timelines.close(),
    whole.close(),
    maps.close(),
    location.close(),
    ...geocoders.map((geocoder) => geocoder.close()),
    server.close(limits.shutdownMs),
    objects?.close(limits.shutdownMs),
  ]);
  results.push(
    ...(await Promise.allSettled([mirror.close(), geodata.close(), parts.backups.close()])),
  );
  // The store's own connection is the last one: it empties the write-ahead log.
  await readers.close();
  stores.close();
  await withdraw();
  const failed = results.filter(({ status }) => status === 'rejected').length;
  if (failed > 0) log.error('daemon.stopped_with_failures', { failed });
  else log.info('daemon.stopped');
}
