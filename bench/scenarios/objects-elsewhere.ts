import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { identifyFile, ObjectClient, passwordCredentials } from '../../client/objects/index.ts';
import { openRoot } from '../../objects/root.ts';
import { moveStore } from '../../objects/upkeep/migrate.ts';
import { postgresPrograms, startPostgres } from '../../test/helpers/postgres.ts';
import { missingOfSwift, startSwift } from '../../test/helpers/swift.ts';
import { preciseCpuMs } from '../measure/process-cost.ts';
import { makeFile } from '../measure/transfer.ts';
import { atMost } from '../report/figure.ts';
import { difference, scenario, type Readings } from '../scenario.ts';
import type { Session } from '../session.ts';
import { fillStore, storeLogin } from '../subjects/object-store.ts';
import type { ServerProcess } from '../subjects/server-process.ts';
import { announce } from './objects.ts';

type Place = 'PostgreSQL' | 'S3';

/** What is promised is of a transfer of 1 GB. */
const timesLarger = 4;
const smallBytes = 1_000;

interface Prepared {
  readonly server: ServerProcess;
  /** The same store, all in its directory. */
  readonly beside?: ServerProcess;
}

/** The object server with its rows in PostgreSQL, or with its contents in a bucket of Swift, whose S3 API is a real one. */
export const objectsElsewhere = scenario<Place, Prepared>({
  name: 'objects-elsewhere',
  title: 'objects with rows in PostgreSQL, or contents in S3',
  subjects: () => {
    const programs = postgresPrograms() === undefined ? 'postgresql' : undefined;
    const missing = { PostgreSQL: programs, S3: missingOfSwift() };
    return (['PostgreSQL', 'S3'] as const).filter((place) => {
      if (missing[place] !== undefined)
        console.error(`skipped: ${missing[place]} is not installed`);
      return missing[place] === undefined;
    });
  },
  rounds: ({ rounds }, place) => (place === 'S3' ? 1 : rounds),
  label: (place) => place,
  prepare: (session, place) =>
    place === 'S3' ? withContentsInS3(session) : withRowsInPostgres(session),
  run: async (session, { server, beside }) => {
    if (beside === undefined) return transfer(session, server);
    const { loadMs } = session.plan;
    return { announced: await announce(server, loadMs), beside: await announce(beside, loadMs) };
  },
  figures: () => [
    {
      what: 'POST /objects, p99',
      unit: 'ms',
      of: 'announced',
      against: ['rows in SQLite', 'beside', 'cost'],
      bar: atMost(15),
    },
    { what: 'CPU of the server, upload', unit: 'ms', of: 'up', bar: atMost(50) },
    { what: 'CPU of the server, download', unit: 'ms', of: 'down', bar: atMost(50) },
  ],
});

async function withRowsInPostgres(session: Session): Promise<Prepared> {
  const postgres = await startPostgres(postgresPrograms() ?? '');
  session.keep({ stop: () => postgres.close() });
  const root = join(session.directory(), 'store');
  await fillStore(root, session.plan.storedObjects);
  const database = await postgres.newDatabase();
  const store = await openRoot(root, { owner: 'command' });
  await moveStore(store, { database }, () => undefined);
  await store.close();
  const sqlite = join(session.directory(), 'store');
  await fillStore(sqlite, session.plan.storedObjects);
  return {
    server: await session.objectServer(root, { WAYPOINTD_OBJECTS_DATABASE: database }),
    beside: await session.objectServer(sqlite),
  };
}

async function withContentsInS3(session: Session): Promise<Prepared> {
  const swift = await startSwift();
  session.keep({ stop: async () => swift.close() });
  const [root, bucket] = [join(session.directory(), 'store'), await swift.newBucket()];
  await fillStore(root, 1);
  const server = await session.objectServer(root, {
    ...swift.keys,
    WAYPOINTD_OBJECTS_STORE: 's3',
    WAYPOINTD_OBJECTS_S3_ENDPOINT: bucket.endpoint ?? '',
    WAYPOINTD_OBJECTS_S3_BUCKET: bucket.bucket,
    WAYPOINTD_OBJECTS_S3_PREFIX: bucket.prefix,
    WAYPOINTD_OBJECTS_S3_PATH_STYLE: 'true',
  });
  return { server };
}

/** Sends and fetches a large file as a user does: announced, past the server, confirmed. */
async function transfer(session: Session, { pid, port }: ServerProcess): Promise<Readings> {
  const [user = '', password = ''] = storeLogin.split(':');
  const client = new ObjectClient({
    baseUrl: `http://127.0.0.1:${port}/bench/files`,
    credentials: passwordCredentials(user, password),
  });
  const directory = session.directory();
  const [small, large] = [join(directory, 'small'), join(directory, 'large')];
  const size = session.plan.objectBytes * timesLarger;
  makeFile(small, smallBytes, `small ${performance.now()}`);
  makeFile(large, size, `large ${performance.now()}`);
  const [little, much] = [await identifyFile(small), await identifyFile(large)];
  const cost = async (step: () => Promise<unknown>): Promise<number | undefined> => {
    const before = preciseCpuMs(pid);
    await step();
    return difference(preciseCpuMs(pid), before);
  };
  // A password costs 50 ms once in a minute, whatever is sent then.
  await client.upload(small, little);
  const up = await cost(() => client.upload(large, much));
  rmSync(large);
  await client.find(little.oid);
  const down = await cost(async () => client.download(await client.locate(much.oid), large));
  session.discard(directory);
  return { up, down };
}
