import { readFileSync } from 'node:fs';
import type { Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { parseByteSize } from '../../model/byte-size.ts';
import { errorCode } from '../../model/error-code.ts';
import {
  isLoopbackHost,
  parseListenAddress,
  type ListenAddress,
} from '../../model/listen-address.ts';
import { describeError } from '../../model/error-description.ts';
import type { Clock, Log } from '../../model/process.ts';
import type { Settings } from '../../model/settings.ts';
import type { ObjectsConfig } from '../../objects/config.ts';
import { RootTaken } from '../../objects/root.ts';
import { startObjectServer } from '../../objects/server.ts';
import type { Paths } from '../paths.ts';
import { ExitError } from '../../model/exit-error.ts';
import { rememberBaseUrl, storePlaces } from './store-places.ts';
import { storeRefusal } from './store-refusal.ts';

export type RunningObjects = Awaited<ReturnType<typeof startObjects>>;

interface StartOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Starts the object server that the settings describe.
 * @throws ExitError with the exit code that says why
 */
export async function startObjects({ settings, paths, log, clock }: StartOptions) {
  const listen = parseListenAddress(settings.objects_listen);
  if (listen === undefined) throw new ExitError('The setting objects_listen is no HOST:PORT.', 78);
  const tls = readCertificate(settings);
  refuseClearText(settings, listen, tls !== undefined);
  const config = configOf(settings, tls !== undefined);
  try {
    const server = await startObjectServer({
      ...storePlaces(settings),
      root: paths.objects,
      config,
      log,
      clock,
      listen,
      ...(tls === undefined ? {} : { tls }),
    });
    const { port } = server;
    log.info('objects.ready', { port });
    const url = config.publicUrl ?? addressOf({ ...listen, port }, config.isTls);
    // Only commands of administrators ask for it, and they can be told.
    await rememberBaseUrl(paths.objects, url).catch((error: unknown) =>
      log.warn('objects.address_not_written', describeError(error)),
    );
    return {
      ...server,
      /** Without a repository. */
      url,
    };
  } catch (error) {
    throw refusalOf(error, listen);
  }
}

function configOf(settings: Settings, isTls: boolean): ObjectsConfig {
  return {
    publicUrl: settings.objects_public_url?.replace(/\/+$/u, ''),
    isTls,
    trustedProxy: settings.objects_trusted_proxy,
    hasBatch: settings.objects_batch,
    maxObjectBytes: parseByteSize(settings.objects_max_object) ?? 0,
    minFreeBytes: parseByteSize(settings.objects_min_free) ?? 0,
    requestsPerMinute: settings.objects_requests_per_minute,
    bandwidthPerDay: parseByteSize(settings.objects_bandwidth_per_day) ?? 0,
    documentationUrl: settings.objects_documentation_url,
  };
}

function addressOf({ host, port }: ListenAddress, isTls: boolean): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${isTls ? 'https' : 'http'}://${name}:${port}`;
}

function readCertificate(settings: Settings): ((options: ServerOptions) => Server) | undefined {
  const { objects_tls_cert: certFile, objects_tls_key: keyFile } = settings;
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new ExitError('The settings objects_tls_cert and objects_tls_key need each other.', 78);
  }
  try {
    const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
    createSecureContext({ cert, key });
    return (options) => createTlsServer({ ...options, cert, key });
  } catch (cause) {
    throw new ExitError(
      'The certificate of the object server, or its key, cannot be read.',
      78,
      cause,
    );
  }
}

/** Refuses to send passwords over a network in clear text. */
function refuseClearText(settings: Settings, { host }: ListenAddress, isTls: boolean): void {
  const isBehindTls = settings.objects_public_url?.startsWith('https://') === true;
  if (isTls || isBehindTls || isLoopbackHost(host) || settings.objects_insecure_http) return;
  throw new ExitError(
    `Listening on ${host} without https would send passwords in clear text. Give --objects-tls-cert and --objects-tls-key, or the https --objects-public-url of a proxy in front, or allow it with --objects-insecure-http.`,
    78,
  );
}

function refusalOf(error: unknown, { host, port }: ListenAddress): unknown {
  if (error instanceof RootTaken) {
    return new ExitError('Another object server has this directory.', 75, error);
  }
  const code = errorCode(error);
  if (code === 'EADDRINUSE') {
    return new ExitError(`Port ${port} of ${host} is taken by another program.`, 75, error);
  }
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return new ExitError(`The object server cannot listen on ${host}:${port}.`, 78, error);
  }
  return storeRefusal(error);
}
