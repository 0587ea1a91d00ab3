import type { Server, ServerOptions } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FailureStyle } from '../http/failures.ts';
import { defaultHttpLimits, type HttpLimits } from '../http/http-limits.ts';
import type { Route } from '../http/route.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { describeError } from '../model/error-description.ts';
import type { ContentStore } from '../storage/content-store/content-store.ts';
import { lockDirectory, type DirectoryLock } from '../storage/lock.ts';
import { closeToOthers } from '../storage/private-directory.ts';
import { answerType, bodyTypes } from './negotiate.ts';
import type { ObjectsConfig } from './config.ts';
import { buildParts, type ObjectParts, type PartsOptions } from './parts.ts';
import {
  isShared,
  lockPath,
  openRoot,
  RootTaken,
  type ObjectsRoot,
  type StorePlaces,
} from './root.ts';
import { batchRoutes, noBatchRoutes } from './routes/batch.ts';
import { contentRoutes } from './routes/content.ts';
import { lockRoutes } from './routes/locks.ts';
import { objectRoutes } from './routes/objects.ts';
import { healthRoutes } from './routes/health.ts';
import { verifyRoutes } from './routes/verify.ts';
import { removeUnverified } from './upkeep/unverified.ts';

/**
 * No time-out for whole requests: an upload may take hours, as long as it goes on. Connections are kept longer than the
 * clients' pauses between objects.
 */
const httpLimits: HttpLimits = {
  ...defaultHttpLimits,
  // A proxy opens some hundred at once before it says whose they are.
  connections: 512,
  requestTimeoutMs: 0,
  jsonBodyMs: 15_000,
  // The kernel's buffer of some MB hides slow progress; the shares of Clients bound what such readers hold.
  drainTimeoutMs: 900_000,
  keepAliveTimeoutMs: 30_000,
};

const unverifiedEveryMs = 60_000;

/** Part of the closing time that remains to end what was cut off, and then the process. */
const endingMs = 1_300;

export interface ObjectServerOptions extends StorePlaces, PartsOptions {
  /** The directory of the store. */
  readonly root: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly tls?: (options: ServerOptions) => Server;
  readonly limits?: Partial<HttpLimits>;
}

/**
 * Starts an object server on its directory.
 * @throws RootTaken; ObjectsRefused; Node's error where the port is taken
 */
export async function startObjectServer(options: ObjectServerOptions) {
  const root = await openRoot(options.root, { ...options, owner: 'server' });
  // The key of logins is in there.
  if (closeToOthers(options.root)) options.log.warn('objects.open_to_others');
  let lock: DirectoryLock | undefined;
  try {
    const contents = await root.contents();
    if (!isShared(options)) {
      lock = lockDirectory(lockPath(options.root));
      if (lock === undefined) throw new RootTaken();
    }
    await root.database.claim();
    // Only the server receives, so whatever lies there is left from a killed one.
    await contents.sweep(options.clock.now());
    return await serve(root, contents, lock, options);
  } catch (error) {
    lock?.release();
    await root.close();
    throw error;
  }
}

async function serve(
  root: ObjectsRoot,
  contents: ContentStore,
  lock: DirectoryLock | undefined,
  options: ObjectServerOptions,
) {
  const { config, log, listen } = options;
  const limits = { ...httpLimits, ...options.limits };
  const parts = buildParts(root, contents, limits.connections, options);
  const server: HttpServer = createHttpServer({
    routes: allRoutes(parts),
    guards: [(ctx) => parts.clients.ask(ctx)],
    prefix: '/',
    notFound: 'not_found',
    log,
    bodyTypes,
    failureStyle: objectFailures(config),
    limits,
    onConnection: (socket) => parts.clients.connect(socket),
    mayLeaveLoopback: true,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  const { port } = await server.listen(listen);
  const endRemovals = repeatRemovals(parts);
  return {
    port,
    /** Finishes requests (≤ `graceMs`), then closes the store. */
    async close(graceMs: number): Promise<void> {
      await server.close(Math.max(0, graceMs - 2 * endingMs));
      // A database or a bucket that is away keeps no server from its end.
      await Promise.race([end(), delay(endingMs, undefined, { ref: false })]);
    },
  };

  async function end(): Promise<void> {
    await endRemovals();
    // Those that were cut off take their temporary files away.
    await parts.underWay.ended();
    await parts.traffic.flush();
    lock?.release();
    await root.close();
  }
}

/** Removes unverified contents from a bucket now and every minute. @returns what ends that */
function repeatRemovals({ contents, holdings, clock, log }: ObjectParts): () => Promise<void> {
  if (!contents.keepsApart) return async () => {};
  let running: Promise<void> | undefined;
  const remove = (): void => {
    running ??= removeUnverified({ contents, holdings }, clock.now())
      .catch((error: unknown) => log.warn('objects.unverified', describeError(error)))
      .finally(() => (running = undefined));
  };
  remove();
  const timer = setInterval(remove, unverifiedEveryMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

function allRoutes(parts: ObjectParts): Route[] {
  return [
    ...healthRoutes(parts),
    ...objectRoutes(parts),
    ...(parts.config.hasBatch ? batchRoutes(parts) : noBatchRoutes()),
    ...contentRoutes(parts),
    ...verifyRoutes(parts),
    ...lockRoutes(parts),
  ];
}

const challenge = 'Basic realm="waypointd objects", charset="UTF-8"';
const bytesPath = /\/objects\/[^/]+\/content$/u;

/**
 * Failures as the clients of the object API read them: in its media type, but as plain JSON where bytes were asked for, because
 * clients drop bodies of any other type there. `LFS-Authenticate` spares people who look at a URL in a browser the
 * password box.
 */
function objectFailures({ documentationUrl }: ObjectsConfig): FailureStyle {
  const fields = documentationUrl === undefined ? {} : { documentation_url: documentationUrl };
  return (ctx, { code }) => {
    if (!bytesPath.test(ctx.path)) ctx.set('Content-Type', answerType(ctx));
    if (code === 'unauthorized') {
      ctx.set({ 'WWW-Authenticate': challenge, 'LFS-Authenticate': challenge });
    }
    return fields;
  };
}
