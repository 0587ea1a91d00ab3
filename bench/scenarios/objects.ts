import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { download, makeFile, upload } from '../measure/transfer.ts';
import { requestBytes } from '../measure/http-connection.ts';
import { load } from '../measure/load.ts';
import { forgetPeak } from '../measure/process-cost.ts';
import { atMost, timesAtLeast } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';
import { fillStore, storeLogin } from '../subjects/object-store.ts';
import { hasNginx } from '../subjects/nginx.ts';
import type { ServerProcess } from '../subjects/server-process.ts';

interface Prepared {
  readonly ours: ServerProcess;
  /** nginx where there is one: it hashes nothing and syncs nothing. */
  readonly peer: ServerProcess;
  /** For files to send. */
  readonly directory: string;
  /** Path of an object of 64 KiB that is stored by both. */
  readonly small: string;
}

const authorization = `Basic ${Buffer.from(storeLogin).toString('base64')}`;
const objects = '/bench/files/objects';
const mediaType = 'application/vnd.x-lfs+json';
const smallBytes = 65_536;
const uploadsAtOnce = 8;
const peerName = hasNginx ? 'nginx' : 'node:http that keeps files';
const probeEveryMs = 5;

/** Large and small files through the object server, against nginx, or a bare server that hashes nothing. */
export const objectStorage = scenario<number, Prepared>({
  name: 'objects',
  title: 'objects up and down',
  subjects: ({ objectBytes }) => [objectBytes],
  label: (bytes) => `objects of ${Math.round(bytes / 1e6)} MB and of 64 KiB`,
  prepare: async (session) => {
    const directory = session.directory();
    const root = join(directory, 'store');
    await fillStore(root, session.plan.storedObjects);
    const ours = await session.objectServer(root);
    const peer = (await session.nginx()) ?? (await session.bareServer());
    const file = join(directory, 'small');
    const small = pathOf(makeFile(file, smallBytes, 'small'));
    for (const server of [ours, peer]) await upload(server.port, small, authOf(server), file);
    return { ours, peer, directory, small };
  },
  run: async (session, { ours, peer, directory, small }, bytes) => {
    const { loadMs } = session.plan;
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
      readings[`${name} small`] = await ratePerSecond(server, small, loadMs);
    }
    const announced = await announce(ours, loadMs);
    const probe = session.probe(ours, '/healthz', probeEveryMs);
    const added = await uploadTogether(ours, directory, bytes);
    const health = (await probe.finish()).p99Ms;
    return { ...readings, announced, added, health };
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
      what: 'GET of 64 KiB, 16 connections',
      unit: 'req/s',
      of: 'own small',
      against: [peerName, 'peer small', 'gain'],
      bar: timesAtLeast(0.3),
    },
    { what: 'POST /objects, p99', unit: 'ms', of: 'announced', bar: atMost(10) },
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

async function ratePerSecond(
  server: ServerProcess,
  path: string,
  durationMs: number,
): Promise<number> {
  const { port } = server;
  const headers = { authorization: authOf(server) };
  const request = requestBytes({ path, port, token: '', headers });
  return (await load({ port, request, connections: 16, durationMs })).requestsPerSecond;
}

/** Announces one object over and over, beside all that are stored. @returns p99 in ms. */
async function announce({ port }: ServerProcess, durationMs: number): Promise<number> {
  const oid = createHash('sha256').update('new').digest('hex');
  const headers = { authorization, accept: mediaType, 'content-type': mediaType };
  const body = { oid, size: 1 };
  const request = requestBytes({ method: 'POST', path: objects, port, token: '', headers, body });
  return (await load({ port, request, connections: 4, durationMs })).p99Ms;
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
