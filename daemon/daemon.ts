import { createHttpServer, type HttpServer } from '../http/server.ts';
import { limits } from '../model/limits.ts';
import { systemClock, type Log } from '../model/process.ts';
import { tokenCheck, waypointGuards } from './guard.ts';
import { newHandOver, removeHandOver, writeHandOver } from './hand-over.ts';
import { listen } from './listen.ts';
import type { RunningObjects } from './objects/start.ts';
import { buildParts, type DaemonOptions, type DaemonParts, type StartOptions } from './parts.ts';
import { apiRoutes } from './routes/all.ts';
import { checkTogether } from './settings.ts';
import { openStores, type OpenedStores } from './stores.ts';

export type { DaemonOptions } from './parts.ts';

export interface Daemon {
  readonly url: string;
  /** Where the object server beside it answers, if the settings want one. */
  readonly objectsUrl: string | undefined;
  readonly port: number;
  readonly token: string;
  /** Watches these folders from now on and no others. @param dirs absolute. */
  readonly watch: (dirs: readonly string[]) => void;
  /**
   * Stops in order: no more connections, jobs cancelled, requests finished (≤ 5 s), everything on disk.
   * @param mirrorMs how long it waits for the bookmarks file.
   */
  readonly close: (mirrorMs?: number) => Promise<void>;
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
  const { settings, log } = options;
  const parts = await buildParts(stores, options);
  const { token, strangers } = parts;
  const server = createHttpServer({
    routes: apiRoutes(parts),
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
    close(mirrorMs) {
      closing ??= stop({ ...parts, objects, stores, server, withdraw, log, mirrorMs }).then(
        ended.resolve,
        ended.reject,
      );
      return closing.then(() => ended.promise);
    },
  };
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
  const content = newHandOver(paths.data, port, token, clock.now());
  const file = await writeHandOver(paths, content);
  return { port, withdraw: () => removeHandOver(file, content.instance) };
}

/** Each step is tried whatever became of the one before: the stores must be closed in any case. */
async function stop(
  parts: DaemonParts & {
    objects: RunningObjects | undefined;
    stores: OpenedStores;
    server: HttpServer;
    withdraw: () => Promise<void>;
    log: Log;
    mirrorMs: number | undefined;
  },
): Promise<void> {
  const { imports, maps, timelines, whole, location, mirror, readers, server, stores, watch } =
    parts;
  const { geocoders, geodata, objects, withdraw, log, mirrorMs } = parts;
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
    ...(await Promise.allSettled([mirror.close(mirrorMs), geodata.close(), parts.backups.close()])),
  );
  // The store's own connection is the last one: it empties the write-ahead log.
  await readers.close();
  stores.close();
  await withdraw();
  const failed = results.filter(({ status }) => status === 'rejected').length;
  if (failed > 0) log.error('daemon.stopped_with_failures', { failed });
  else log.info('daemon.stopped');
}
