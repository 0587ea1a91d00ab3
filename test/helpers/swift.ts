import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketPlace } from '../../storage/content-store/s3/bucket.ts';
import { freePort } from './local-server.ts';
import { until } from './until.ts';

/** What Debian's Swift consists of; all of it is needed. */
const programs = ['proxy', 'account', 'container', 'object'].map(
  (name) => `/usr/bin/swift-${name}-server`,
);

/** The first program of Swift that is not installed here. */
export function missingOfSwift(): string | undefined {
  return [...programs, '/usr/bin/memcached'].find((path) => !existsSync(path));
}

/** Starts OpenStack Swift, whose S3 API is a real one: it checks signatures, hashes and lengths. */
export async function startSwift() {
  const directory = mkdtempSync(join(tmpdir(), 'wp-s3-'));
  mkdirSync(join(directory, 'devices', 'd1'), { recursive: true });
  const path = (name: string): string => join(directory, name);
  const [proxy = 0, memcached = 0, ...ports] = await Promise.all(
    Array.from({ length: 5 }, freePort),
  );
  const user = userInfo().username;
  const shared = `[DEFAULT]\nbind_ip = 127.0.0.1\nworkers = 0\nuser = ${user}\nswift_dir = ${directory}\ndevices = ${path('devices')}\nmount_check = false\nlog_level = ERROR\n`;
  writeFileSync(
    path('swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = test\nswift_hash_path_prefix = test\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  const children: ChildProcess[] = [];
  const run = (program: string, ...words: string[]): ChildProcess => {
    const child = spawn(program, words, { stdio: 'ignore', cwd: directory });
    children.push(child);
    return child;
  };
  run('/usr/bin/memcached', '-l', '127.0.0.1', '-p', String(memcached), '-u', user);
  for (const [at, kind] of ['account', 'container', 'object'].entries()) {
    const port = ports[at] ?? 0;
    const builder = path(`${kind}.builder`);
    const ring = (...words: string[]) =>
      execFileSync('/usr/bin/swift-ring-builder', [builder, ...words], {
        cwd: directory,
        stdio: 'ignore',
      });
    ring('create', '4', '1', '1');
    ring('add', `r1z1-127.0.0.1:${port}/d1`, '1');
    ring('rebalance');
    writeFileSync(
      path(`${kind}.conf`),
      `${shared}bind_port = ${port}\n[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
    );
    run(`/usr/bin/swift-${kind}-server`, path(`${kind}.conf`));
  }
  const filters = ['cache', 'listing_formats', 'bulk', 's3api', 'tempauth', 'slo', 'dlo'];
  const settings: Readonly<Record<string, string>> = {
    cache: `use = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${memcached}\n`,
    s3api: 'use = egg:swift#s3api\nlocation = us-east-1\n',
    tempauth: 'use = egg:swift#tempauth\nuser_test_tester = testing .admin\n',
  };
  const names = [...filters, 'versioned_writes'];
  writeFileSync(
    path('proxy.conf'),
    `${shared}bind_port = ${proxy}\n[pipeline:main]\npipeline = ${names.join(' ')} proxy-server\n[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n${names
      .map((name) => `[filter:${name}]\n${settings[name] ?? `use = egg:swift#${name}\n`}`)
      .join('')}`,
  );
  const front = run('/usr/bin/swift-proxy-server', path('proxy.conf'));
  const endpoint = `http://127.0.0.1:${proxy}`;
  const keys = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing' };
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 5_000,
      throwOnRequestTimeout: true,
    },
    credentials: { accessKeyId: 'test:tester', secretAccessKey: 'testing' },
  });
  let made = 0;
  const newBucket = async (): Promise<BucketPlace> => {
    const bucket = `store-${(made += 1)}`;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    const place = { endpoint, region: 'us-east-1', prefix: 'some/prefix', isPathStyle: true };
    return { ...place, bucket, credentialsFile: undefined };
  };
  await until(() =>
    // Half made, a bucket of one name would never be made again.
    newBucket().then(
      () => true,
      () => front.exitCode !== null,
    ),
  );
  // The servers of objects may be later than those of buckets.
  const Bucket = `store-${made}`;
  await until(() =>
    client.send(new PutObjectCommand({ Bucket, Key: 'ready', Body: 'x' })).then(
      () => true,
      () => front.exitCode !== null,
    ),
  );
  return {
    endpoint,
    /** The keys of its one user, as the AWS tools name them in the environment. */
    keys,
    newBucket,
    /** The environment of a program whose contents live in a bucket. */
    env: ({ bucket, prefix }: BucketPlace) => ({
      ...keys,
      WAYPOINTD_OBJECTS_S3_ENDPOINT: endpoint,
      WAYPOINTD_OBJECTS_S3_BUCKET: bucket,
      WAYPOINTD_OBJECTS_S3_PREFIX: prefix,
      WAYPOINTD_OBJECTS_S3_PATH_STYLE: 'true',
    }),
    /** The proxy stands still, and goes on. */
    pause: () => front.kill('SIGSTOP'),
    resume: () => front.kill('SIGCONT'),
    close() {
      client.destroy();
      for (const child of children) child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
