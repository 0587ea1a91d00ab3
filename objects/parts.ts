import type { Clock, Log } from '../model/process.ts';
import type { ContentStore } from '../storage/content-store/content-store.ts';
import { Clients } from './clients.ts';
import type { ObjectsConfig } from './config.ts';
import { Logins } from './credentials.ts';
import { expiring } from './expiring.ts';
import { requestLimiter } from './request-limiter.ts';
import type { ObjectsRoot } from './root.ts';
import { createTokens } from './tokens.ts';
import { TrafficMeter } from './traffic.ts';
import { UploadsUnderWay } from './uploads-under-way.ts';

/** How long, and of how many uploads, it is remembered that they had the wrong content. */
const failedMs = 60_000;
const failedUploads = 10_000;

export interface PartsOptions {
  readonly config: ObjectsConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** In place of what the disk says. */
  readonly freeBytes?: () => Promise<number>;
}

/** The parts that the routes of an object server answer from. */
export type ObjectParts = ReturnType<typeof buildParts>;

/** @param connections of the server */
export function buildParts(
  { directory, holdings, locks, database, secret }: ObjectsRoot,
  contents: ContentStore,
  connections: number,
  { config, clock, log, freeBytes = () => contents.freeBytes() }: PartsOptions,
) {
  return {
    config,
    clock,
    log,
    contents,
    /** Bytes that are free on the disk of the contents. */
    freeBytes,
    directory,
    holdings,
    locks,
    journal: database.journal,
    logins: new Logins(clock, log),
    tokens: createTokens(secret, clock.now),
    /** How often an upload had the wrong content, by {@link uploadKey}. */
    failed: expiring<number>(clock, failedMs, failedUploads),
    underWay: new UploadsUnderWay(),
    traffic: new TrafficMeter(holdings, clock, config.bandwidthPerDay),
    limitRequests: requestLimiter(config.requestsPerMinute, clock),
    clients: new Clients(Math.floor(connections / 4), config),
  };
}
