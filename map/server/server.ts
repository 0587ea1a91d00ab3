import type { Access } from '../../client/waypoints/http.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { headerValues } from '../../http/context.ts';
import { route, type Method, type Route } from '../../http/route.ts';
import { createHttpServer } from '../../http/server.ts';
import { Strangers } from '../../http/strangers.ts';
import { limits } from '../../model/limits.ts';
import { mapAliveSchema, mapCodeSchema, mapSessionSchema } from '../../model/map.ts';
import type { Clock, Log } from '../../model/process.ts';
import { allowedRoutes } from './allowed-routes.ts';
import { openBasemap } from './basemap.ts';
import { sessionHeader } from '../session-header.ts';
import { DaemonLink, type Silence } from './daemon-link.ts';
import { mapGuards } from './guard.ts';
import { pageRoutes } from './page-files.ts';
import { Sessions } from './sessions.ts';

/** A browser has six connections to one server. */
const connections = 64;
const maxStrangers = 16;
const sessionPath = '/session';
const beatMs = 20_000;

export interface MapServerOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Where the built page is. */
  readonly pageDirectory: string;
  /** A street map of the user's own, a PMTiles archive. */
  readonly basemap?: string | undefined;
  readonly findDaemon: () => Promise<Access | undefined>;
  /** How long the daemon may say nothing, ms. */
  readonly silence?: Silence | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MapServer {
  readonly port: number;
  /** Makes an address that opens the page once, within a minute; calls back when it has. */
  readonly newAddress: (onUsed?: () => void) => string;
  /** Whether no page was there for ten minutes. */
  readonly isUnused: () => boolean;
  readonly close: (graceMs: number) => Promise<void>;
}

/**
 * Starts the small server in front of the page of the map, on the loopback interface: it gives out the page, and passes on
 * to the daemon what the page may ask.
 * @throws ExitError 78 for a street map that cannot be used; Node's error where the port is taken
 */
export async function startMapServer(options: MapServerOptions): Promise<MapServer> {
  const { port: wanted, pageDirectory, findDaemon, silence, clock, log } = options;
  const ending = new AbortController();
  const sessions = new Sessions(clock);
  const strangers = new Strangers(maxStrangers);
  const page = pageRoutes(pageDirectory);
  const basemap = options.basemap === undefined ? undefined : await openBasemap(options.basemap);
  const publicPaths = new Set(page.map(({ path }) => path));
  const server = createHttpServer({
    routes: [
      ...page,
      ...sessionRoutes(sessions, basemap !== undefined, ending.signal),
      ...daemonRoutes(new DaemonLink(findDaemon, silence)),
      ...(basemap === undefined ? [] : [basemap.route]),
    ],
    guards: mapGuards({
      isPublic: (path) => publicPaths.has(path),
      sessionPath,
      sessions,
      strangers,
    }),
    onConnection: (socket) => strangers.add(socket),
    // An upload may take long; what is read as a whole may not.
    limits: { connections, requestTimeoutMs: 0, jsonBodyMs: limits.requestTimeoutMs },
    failureStyle: () => undefined,
    prefix: '/api/',
    notFound: 'not_found',
    log,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: wanted }).catch(async (error) => {
    await basemap?.close();
    throw error;
  });
  return {
    port,
    // What stands behind the # stays in the browser.
    newAddress: (onUsed = () => {}) => `http://127.0.0.1:${port}/#${sessions.newCode(onUsed)}`,
    isUnused: () => sessions.isUnused(),
    async close(graceMs) {
      ending.abort();
      await server.close(graceMs);
      await basemap?.close();
    },
  };
}

function sessionRoutes(sessions: Sessions, basemap: boolean, ending: AbortSignal): Route[] {
  return [
    route({
      method: 'POST',
      path: sessionPath,
      summary: 'Trades the one-time code of the address for the secret of a session.',
      body: mapCodeSchema,
      answers: { 200: mapSessionSchema },
      handle: ({ body }) => ({ status: 200, json: { secret: sessions.open(body.code) } }),
    }),
    route({
      method: 'POST',
      path: '/alive',
      summary: 'Tells whether the session is open, and what its page may show.',
      answers: { 200: mapAliveSchema },
      handle: () => ({ status: 200, json: { basemap } }),
    }),
    route({
      method: 'GET',
      path: '/alive',
      summary: 'Goes on until this server ends, so that a page that holds it learns so at once.',
      answers: {},
      handle: ({ ctx, signal }) => ({
        status: 200,
        contentType: 'text/plain',
        pieces: beats(AbortSignal.any([signal, ending]), () =>
          sessions.isOpen(headerValues(ctx, sessionHeader).join()),
        ),
      }),
    }),
  ];
}

/** Lines, each with a note that the page is there; ends in order with the signal. */
async function* beats(signal: AbortSignal, note: () => void): AsyncGenerator<string> {
  while (!signal.aborted) {
    note();
    yield '\n';
    await delay(beatMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

function daemonRoutes(daemon: DaemonLink): Route[] {
  return allowedRoutes.map((line) => {
    const [method, path] = line.split(' ') as [Method, string];
    return route({
      method,
      path,
      summary: 'Passes a request of the page on to the daemon.',
      readsContent: true,
      answers: {},
      handle: (request) => daemon.answer(request),
    });
  });
}
