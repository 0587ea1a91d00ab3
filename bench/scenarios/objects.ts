import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { requestBytes } from '../measure/http-connection.ts';
import { LatencyProbe } from '../measure/latency-probe.ts';
import { load } from '../measure/load.ts';
import { median, medianOf } from '../measure/statistics.ts';
import { curl, makeFile, syncFile } from '../measure/transfer.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';
import { FileServer, isInstalled } from '../subjects/object-servers.ts';
import { fillStore, storeLogin } from '../subjects/object-store.ts';

const name = 'objects';
const authorization = `Basic ${Buffer.from(storeLogin).toString('base64')}`;
/** The same for curl. */
const auth = ['-H', `Authorization: ${authorization}`];
const objects = '/bench/files/objects';
const mediaType = 'application/vnd.x-lfs+json';
const smallBytes = 65_536;
const uploadsAtOnce = 8;
const probeEveryMs = 20;

interface Subjects {
  readonly ours: FileServer;
  readonly nginx: FileServer;
  /** Where nginx keeps what it is sent. */
  readonly html: string;
  /** For files to send. */
  readonly directory: string;
}

interface Moved {
  readonly seconds: number;
  readonly cpuMs: number | undefined;
}

/** Large files through the object server, against nginx, which neither hashes nor syncs. */
export const objectStorage: Scenario = {
  name,
  title: 'objects up and down, against nginx',
  async *run(session) {
    const missing = [
      ['nginx', '-v'],
      ['curl', '--version'],
    ].find(([program = '', flag = '']) => !isInstalled(program, flag));
    if (missing !== undefined) {
      session.say(`skipped: ${missing[0]} is not installed, so objects are not measured`);
      return;
    }
    const directory = session.directory();
    const root = join(directory, 'store');
    await fillStore(root, session.plan.storedObjects);
    const peer = session.directory();
    const nginx = await session.starting(() => FileServer.nginx(peer)).catch(() => undefined);
    if (nginx === undefined) {
      session.say('skipped: nginx does not start, so objects are not measured');
      return;
    }
    const ours = await session.starting(() => FileServer.objects(root));
    const subjects = { ours, nginx, html: join(peer, 'html'), directory };
    yield* large(session, subjects);
    yield* small(session, subjects);
    yield* announcements(session, subjects);
    yield* together(session, subjects);
    for (const server of [ours, nginx]) await session.stop(server);
    for (const used of [directory, peer]) session.discard(used);
  },
};

async function moved(server: FileServer, words: readonly string[]): Promise<Moved> {
  const before = server.cpuMs();
  const seconds = await curl(words);
  const after = server.cpuMs();
  return {
    seconds,
    cpuMs: before === undefined || after === undefined ? undefined : after - before,
  };
}

async function* large({ plan }: Session, subjects: Subjects): AsyncGenerator<Figure> {
  const { ours, nginx, html, directory } = subjects;
  const bytes = plan.objectBytes;
  const file = join(directory, 'large');
  const up: Record<'ours' | 'nginx' | 'synced', Moved[]> = { ours: [], nginx: [], synced: [] };
  const down: Record<'ours' | 'nginx', Moved[]> = { ours: [], nginx: [] };
  for (let round = 0; round < plan.rounds; round += 1) {
    const oid = makeFile(file, bytes, `${round}`);
    const [own, peer] = [ours.url(`${objects}/${oid}/content`), nginx.url(`/${oid}`)];
    up.ours.push(await moved(ours, [...auth, '-T', file, own]));
    const sent = await moved(nginx, ['-T', file, peer]);
    up.nginx.push(sent);
    const syncSeconds = await syncFile(join(html, oid));
    up.synced.push({ ...sent, seconds: sent.seconds + syncSeconds });
    down.ours.push(await moved(ours, [...auth, own]));
    down.nginx.push(await moved(nginx, [peer]));
    rmSync(join(html, oid));
  }
  const line = { scenario: name, subject: `one object of ${Math.round(bytes / 1e6)} MB` };
  const rate = (all: Moved[]): number => bytes / 1e6 / median(all.map(({ seconds }) => seconds));
  const cpu = (all: Moved[]): number | undefined => medianOf(all.map(({ cpuMs }) => cpuMs));
  const bar = (atLeast: number): Figure['bar'] =>
    plan.isQuick ? undefined : { of: 'ratio', atLeast };
  const against = (peer: string, value: number | undefined): Figure['baseline'] => ({
    name: peer,
    value,
    ratio: 'gain',
  });
  yield {
    ...line,
    what: 'download',
    unit: 'MB/s',
    value: rate(down.ours),
    baseline: against('nginx', rate(down.nginx)),
    bar: bar(0.7),
  };
  yield {
    ...line,
    what: 'download, CPU',
    unit: 'ms',
    value: cpu(down.ours),
    baseline: against('nginx', cpu(down.nginx)),
  };
  yield {
    ...line,
    what: 'upload, hashed and on the disk',
    unit: 'MB/s',
    value: rate(up.ours),
    baseline: against('nginx DAV, synced after it', rate(up.synced)),
    bar: bar(0.6),
  };
  yield {
    ...line,
    what: 'upload, hashed and on the disk',
    unit: 'MB/s',
    value: rate(up.ours),
    baseline: against('nginx DAV, not on the disk', rate(up.nginx)),
  };
  yield {
    ...line,
    what: 'upload, CPU',
    unit: 'ms',
    value: cpu(up.ours),
    baseline: against('nginx DAV', cpu(up.nginx)),
  };
}

async function* small(
  { plan }: Session,
  { ours, nginx, directory }: Subjects,
): AsyncGenerator<Figure> {
  const file = join(directory, 'small');
  const oid = makeFile(file, smallBytes, 'small');
  const path = `${objects}/${oid}/content`;
  await curl([...auth, '-T', file, ours.url(path)]);
  await curl(['-T', file, nginx.url('/small')]);
  const rates: Record<'ours' | 'nginx', number[]> = { ours: [], nginx: [] };
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const [key, server, place] of [
      ['ours', ours, path],
      ['nginx', nginx, '/small'],
    ] as const) {
      const request = requestBytes({
        path: place,
        port: server.port,
        token: '',
        headers: { authorization },
      });
      const { requestsPerSecond } = await load({
        port: server.port,
        request,
        connections: 16,
        durationMs: plan.loadMs,
      });
      rates[key].push(requestsPerSecond);
    }
  }
  yield {
    scenario: name,
    subject: 'objects of 64 KiB, 16 connections',
    what: 'GET',
    unit: 'req/s',
    value: median(rates.ours),
    baseline: { name: 'nginx', value: median(rates.nginx), ratio: 'gain' },
    bar: plan.isQuick ? undefined : { of: 'ratio', atLeast: 0.2 },
  };
}

async function* announcements({ plan }: Session, { ours }: Subjects): AsyncGenerator<Figure> {
  const oid = createHash('sha256').update('new').digest('hex');
  const headers = { authorization, accept: mediaType, 'content-type': mediaType };
  const request = requestBytes({
    method: 'POST',
    path: objects,
    port: ours.port,
    token: '',
    headers,
    body: { oid, size: 1 },
  });
  const { p99Ms } = await load({
    port: ours.port,
    request,
    connections: 4,
    durationMs: plan.loadMs,
  });
  const count = plan.storedObjects.toLocaleString('en');
  yield {
    scenario: name,
    subject: `${count} objects stored, 4 connections`,
    what: 'POST /objects, p99',
    unit: 'ms',
    value: p99Ms,
    bar: plan.isQuick ? undefined : { of: 'figure', atMost: 10 },
  };
}

async function* together(session: Session, { ours, directory }: Subjects): AsyncGenerator<Figure> {
  const { plan } = session;
  const bytes = plan.objectBytes;
  const files = Array.from({ length: uploadsAtOnce }, (_, n) => join(directory, `together ${n}`));
  const oids = files.map((file, n) => makeFile(file, bytes, `together ${n}`));
  const before = ours.forgetPeak();
  const health = requestBytes({ path: '/healthz', port: ours.port, token: '' });
  const { port } = ours;
  const probe = session.keep(new LatencyProbe({ port, request: health, intervalMs: probeEveryMs }));
  const started = performance.now();
  await Promise.all(
    files.map((file, n) => curl([...auth, '-T', file, ours.url(`${objects}/${oids[n]}/content`)])),
  );
  const seconds = (performance.now() - started) / 1_000;
  const { p99Ms } = await probe.finish();
  const peak = ours.peakMb();
  for (const file of files) rmSync(file);
  const line = {
    scenario: name,
    subject: `${uploadsAtOnce} uploads of ${Math.round(bytes / 1e6)} MB at once`,
  };
  yield {
    ...line,
    what: 'all together',
    unit: 'MB/s',
    value: (bytes * uploadsAtOnce) / 1e6 / seconds,
  };
  yield {
    ...line,
    what: 'memory above what it was',
    unit: 'MB',
    value: before === undefined || peak === undefined ? undefined : peak - before,
    bar: plan.isQuick ? undefined : { of: 'figure', atMost: 100 },
  };
  yield {
    ...line,
    what: '/healthz meanwhile, p99',
    unit: 'ms',
    value: p99Ms,
    bar: plan.isQuick ? undefined : { of: 'figure', atMost: 100 },
  };
}
