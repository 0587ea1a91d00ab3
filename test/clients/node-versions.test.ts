/** The client and the example of a page on each Node.js that docs/client.md promises, with binaries from npm. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { untilPrinted } from '../helpers/cli.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { testWith } from '../helpers/where.ts';

const versions = ['18', '20', '22.22.0', '24', '26'];
const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const isLinux = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

/** @returns a Node.js of a version. */
async function installNode(directory: string, version: string): Promise<string> {
  const name = `node-linux-${process.arch}@${version}`;
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory, name];
  await run('npm', words);
  const archive = readdirSync(directory).find((file) => file.endsWith('.tgz'));
  await run('tar', ['-xzf', join(directory, archive ?? ''), '-C', directory]);
  return join(directory, 'package', 'bin', 'node');
}

/** Makes a project of a user that has the package installed, as far as its clients need it. */
function makeProject(directory: string): string {
  const project = join(directory, 'project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  symlinkSync(root, join(project, 'node_modules', 'waypointd'));
  symlinkSync(join(root, 'node_modules/maplibre-gl'), join(project, 'node_modules/maplibre-gl'));
  cpSync(join(root, 'test/programs/client-of-package.mjs'), join(project, 'script.js'));
  cpSync(join(root, 'examples/web'), join(project, 'web'), { recursive: true });
  return project;
}

function environmentOf({ root: directory }: TestDaemon): NodeJS.ProcessEnv {
  const [data, runtime] = [join(directory, 'data'), join(directory, 'run')];
  return { ...process.env, WAYPOINTD_DATA_DIR: data, WAYPOINTD_RUNTIME_DIR: runtime };
}

/** @returns the waypoints that a page of the example gets, and its module of the client. */
async function askExample(t: ExecutionContext, node: string, project: string, env: object) {
  const server = spawn(node, [join(project, 'web/server.js'), '0'], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => server.kill('SIGKILL'));
  const [address] = await untilPrinted(server.stdout, /^http\S+$/mu);
  const { origin, hash } = new URL(address);
  const headers = { authorization: `Bearer ${hash.slice(1)}` };
  const waypoints = await fetch(`${origin}/api/waypoints`, { headers });
  const module = await fetch(`${origin}/waypointd/client/waypoints/index.js`);
  return { names: await waypoints.json(), module: module.status };
}

async function runOn(t: ExecutionContext, version: string): Promise<void> {
  const directory = temporaryDirectory(t);
  const node = await installNode(directory, version);
  const project = makeProject(directory);
  const daemon = await startTestDaemon(t, { options: { handOver: true } });
  const env = environmentOf(daemon);
  const { stdout } = await run(node, [join(project, 'script.js')], { env });
  const printed = JSON.parse(stdout) as { node: string };
  t.true(printed.node.startsWith(`v${version}.`) || printed.node === `v${version}`);
  t.like(printed, { signalled: ['Camp'], tags: [{ raw: 'home', emoji: '🏠' }], offline: [] });
  t.like(await askExample(t, node, project, env), { names: [{ name: 'Camp' }], module: 200 });
}

for (const version of versions) {
  const title = `on Node.js ${version}, connect(), a call, a signal, offline mode and examples/web work`;
  testWith(isLinux, 'not Linux on x64 or arm64')(title, (t) => runOn(t, version));
}
