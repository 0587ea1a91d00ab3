import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { download, makeFile, upload } from '../measure/transfer.ts';
import { forgetPeak } from '../measure/process-cost.ts';
import { atMost, timesAtLeast } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import { makeStore, storeLogin } from '../subjects/object-store.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Prepared {
  readonly ours: ServerProcess;
  /** A bare server: it hashes nothing. */
  readonly peer: ServerProcess;
  /** For files to send. */
  readonly directory: string;
}

const authorization = `Basic ${Buffer.from(storeLogin).toString('base64')}`;
const objects = '/bench/files/objects';
const uploadsAtOnce = 8;
const peerName = 'node:http that keeps files';
const probeEveryMs = 5;

/** Large files through the object server, against a bare server that hashes nothing. */
export const objectStorage = scenario<number, Prepared>({
  name: 'objects',
  title: 'objects up and down',
  subjects: ({ objectBytes }) => [objectBytes],
  label: (bytes) => `objects of ${Math.round(bytes / 1e6)} MB`,
  prepare: async (session) => {
    const directory = session.directory();
    const root = join(directory, 'store');
    await makeStore(root);
    const ours = await session.objectServer(root);
    const peer = await session.bareServer();
    return { ours, peer, directory };
  },
  run: async (session, { ours, peer, directory }, bytes) => {
    const file = join(directory, 'large');
    const path = pathOf(makeFile(file, bytes, `${performance.now()}`));
    const megabytes = bytes / 1e6;
    const readings: Record<string, number | undefined> = {};
    for (const [name, server] of [
      ['own', ours],
      ['peer', peer],
    ] as const) {
      readings[`${name} up`] = megabytes / (await upload(server.port, path, authOf(server), file));
      readings[`${name} down`] = megabytes / (await download(server.port, path, authOf(server)));
    }
    const probe = session.probe(ours, '/healthz', probeEveryMs);
    const added = await uploadTogether(ours, directory, bytes);
    const health = (await probe.finish()).p99Ms;
    return { ...readings, added, health };
  },
  figures: () => [
    {
      what: 'download',
      unit: 'MB/s',
      of: 'own down',
      against: [peerName, 'peer down', 'gain'],
      bar: timesAtLeast(0.9),
    },
    {
      what: 'upload, hashed and on the disk',
      unit: 'MB/s',
      of: 'own up',
      against: [peerName, 'peer up', 'gain'],
      bar: timesAtLeast(0.7),
    },
    {
      what: `${counted(uploadsAtOnce, 'uploads')} at once, memory above what it was`,
      unit: 'MB',
      of: 'added',
      bar: atMost(100),
    },
    { what: `/healthz meanwhile, p99`, unit: 'ms', of: 'health', bar: atMost(50) },
  ],
});

function pathOf(oid: string): string {
  return `${objects}/${oid}/content`;
}

/** The bare server has a token instead of a login. */
function authOf({ token }: ServerProcess): string {
  return token === '' ? authorization : `Bearer ${token}`;
}

/** @returns what the server held at most above what it held before, MB. */
async function uploadTogether(
  server: ServerProcess,
  directory: string,
  bytes: number,
): Promise<number | undefined> {
  const files = Array.from({ length: uploadsAtOnce }, (_, n) => join(directory, `together ${n}`));
  const paths: string[] = [];
  for (const file of files) paths.push(pathOf(makeFile(file, bytes, file + performance.now())));
  const beforeMb = forgetPeak(server.pid);
  await Promise.all(
    files.map((file, n) => upload(server.port, paths[n] ?? '', authorization, file)),
  );
  for (const file of files) rmSync(file);
  return difference(server.cost()?.peakResidentMb, beforeMb);
}
