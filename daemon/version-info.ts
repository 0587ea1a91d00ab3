import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { VersionInfo } from '../model/process.ts';
import { packageUrl } from '../model/program-files.ts';

const run = promisify(execFile);
/** Version control must never hold up an answer. */
const gitTimeoutMs = 2_000;

let version: string | undefined;
let build: Promise<VersionInfo['build']> | undefined;

/** The root directory of this package: a clone, or a folder below `node_modules`. */
export function packageRoot(): string {
  return fileURLToPath(packageUrl);
}

export function programVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : '0.0.0';
}

/** Version and runtime of this program; the daemon adds its features and its SQLite. */
export async function programInfo(): Promise<Omit<VersionInfo, 'api' | 'features' | 'sqlite'>> {
  const built = await buildInfo();
  return {
    runtime: { name: 'node', version: process.versions.node },
    platform: { os: process.platform, arch: process.arch, release: release() },
    module: { name: 'waypointd', version: programVersion() },
    ...(built === undefined ? {} : { build: built }),
  };
}

/** Asks version control once; undefined where there is none (an installed package, no git). */
async function buildInfo(): Promise<VersionInfo['build']> {
  build ??= readBuildInfo(packageRoot()).catch(() => undefined);
  return build;
}

async function readBuildInfo(root: string): Promise<VersionInfo['build']> {
  // Without this check git would answer for whatever repository the package happens to be installed in.
  if (!existsSync(join(root, '.git'))) return undefined;
  const [head, status] = await Promise.all([
    git(root, ['log', '-1', '--no-show-signature', '--format=%H %h %ct']),
    git(root, ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=no']),
  ]);
  const [commit, short, seconds] = head.trim().split(' ');
  if (commit === undefined || short === undefined) return undefined;
  const built = new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
  return { commit, commit_short: short, build_time: built, dirty: status.trim() !== '' };
}

async function git(root: string, words: readonly string[]): Promise<string> {
  // GIT_DIR and its kin would point git at another repository.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
  );
  const options = { cwd: root, env, timeout: gitTimeoutMs, windowsHide: true };
  return (await run('git', [...words], options)).stdout;
}
