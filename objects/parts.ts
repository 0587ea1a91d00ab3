import type { Clock, Log } from '../model/process.ts';
import type { ContentStore } from '../storage/content-store/content-store.ts';
import type { ObjectsDirectory } from '../storage/objects/directory.ts';
import type { Holdings } from '../storage/objects/holdings.ts';
import type { Locks } from '../storage/objects/locks.ts';
import type { CommitJournal } from '../storage/objects/rows-store.ts';
import type { Clients } from './clients.ts';
import type { ObjectsConfig } from './config.ts';
import type { Logins } from './credentials.ts';
import type { Expiring } from './expiring.ts';
import type { RequestLimiter } from './request-limiter.ts';
import type { Tokens } from './tokens.ts';
import type { TrafficMeter } from './traffic.ts';
import type { UploadsUnderWay } from './uploads-under-way.ts';

/** The parts that the routes of an object server answer from. */
export interface ObjectParts {
  readonly config: ObjectsConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly contents: ContentStore;
  /** Bytes that are free on the disk of the contents. */
  readonly freeBytes: () => Promise<number>;
  readonly directory: ObjectsDirectory;
  readonly holdings: Holdings;
  readonly locks: Locks;
  readonly journal: CommitJournal;
  readonly logins: Logins;
  readonly tokens: Tokens;
  /** How often an upload had the wrong content, by {@link uploadKey}. */
  readonly failed: Expiring<number>;
  readonly underWay: UploadsUnderWay;
  readonly traffic: TrafficMeter;
  readonly limiter: RequestLimiter;
  readonly clients: Clients;
}
