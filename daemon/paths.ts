import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import envPaths from 'env-paths';
import type { SettingKey, Settings } from '../model/settings.ts';

/** Every place on disk that waypointd knows: directories first, then the files in them (contract A). All absolute. */
export interface Paths {
  readonly config: string;
  readonly configFile: string;
  /** What is the user's own or rebuilt from it; everything below it is ours. */
  readonly data: string;
  readonly waypointsDatabase: string;
  readonly libraryDatabase: string;
  readonly lockDatabase: string;
  readonly bookmarksFile: string;
  readonly imports: string;
  /** Old bytes of replaced imports, by SHA-256. */
  readonly replaced: string;
  readonly geodata: string;
  readonly objects: string;
  readonly backups: string;
  /** May be deleted at any time without loss. */
  readonly cache: string;
  readonly geocodeDatabase: string;
  /** Reserved for the map cache of a user interface; waypointd itself keeps nothing there. */
  readonly mapCache: string;
  readonly runtime: string;
  /** The hand-over file that a daemon started with these paths writes. */
  readonly handOver: string;
  /** Where programs look for a running daemon's hand-over file, in this order. */
  readonly handOverCandidates: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings whose value is a path of ours. `location_command` is not: a bare name is looked up in PATH. */
export const pathSettings: readonly SettingKey[] = [
  'data_dir',
  'cache_dir',
  'runtime_dir',
  'log_file',
  'bookmarks_file',
];

const program = 'waypointd';
const handOverName = 'daemon.json';
/** Where a daemon that is a service of the whole machine puts its hand-over file. */
export const systemHandOver = '/run/waypointd/daemon.json';
const isWindows = process.platform === 'win32';

/** The configuration file that is read when `--config` names none. */
export function defaultConfigFile(): string {
  return join(envPaths(program, { suffix: '' }).config, 'config.json');
}

/**
 * Makes a path of the user absolute. A leading `~/` is the home directory: no shell replaces it in `config.json`, in a
 * unit file or after `--data-dir=`.
 * @param base what a relative path starts from.
 */
export function absolutePath(path: string, base: string): string {
  if (path === '~') return homedir();
  if (path.startsWith('~/') || path.startsWith(`~${sep}`)) return join(homedir(), path.slice(2));
  return resolve(base, path);
}

/** Computes every path from the settings, whose paths are absolute already, and the environment. Touches no disk. */
export function computePaths(
  settings: Partial<Settings>,
  { configFile = defaultConfigFile(), env = process.env as Environment } = {},
): Paths {
  const system = envPaths(program, { suffix: '' });
  const data = settings.data_dir ?? unitDirectory(env, 'STATE_DIRECTORY') ?? system.data;
  const cache = settings.cache_dir ?? unitDirectory(env, 'CACHE_DIRECTORY') ?? system.cache;
  const sessionRuntime = absoluteVariable(env, 'XDG_RUNTIME_DIR');
  const chosen = [settings.runtime_dir, unitDirectory(env, 'RUNTIME_DIRECTORY')];
  if (sessionRuntime !== undefined) chosen.push(join(sessionRuntime, program));
  const runtime = chosen.find((directory) => directory !== undefined) ?? data;
  const imports = join(data, 'imports');
  return {
    config: system.config,
    configFile,
    data,
    waypointsDatabase: join(data, 'waypoints.sqlite'),
    libraryDatabase: join(data, 'library.sqlite'),
    lockDatabase: join(data, 'lock.sqlite'),
    bookmarksFile: settings.bookmarks_file ?? join(data, 'bookmarks.gpx'),
    imports,
    replaced: join(imports, '.replaced'),
    geodata: join(data, 'geodata'),
    objects: join(data, 'objects'),
    backups: join(data, 'backups'),
    cache,
    geocodeDatabase: join(cache, 'geocode.sqlite'),
    mapCache: join(cache, 'map'),
    runtime,
    handOver: join(runtime, handOverName),
    handOverCandidates: candidates([...chosen, ...loginDirectories(data)]),
  };
}

/** Where a daemon started from another session, or by the system, may have put its file. */
function loginDirectories(data: string): string[] {
  if (isWindows) return [data];
  const uid = process.getuid?.();
  return [`/run/user/${uid}/${program}`, data, dirname(systemHandOver)];
}

function candidates(directories: readonly (string | undefined)[]): string[] {
  const known = directories.filter((directory) => directory !== undefined);
  return [...new Set(known)].map((directory) => join(directory, handOverName));
}

/** systemd separates several directories by colons; ours is the first. */
function unitDirectory(env: Environment, name: string): string | undefined {
  const first = isWindows ? env[name] : env[name]?.split(':')[0];
  return first !== undefined && isAbsolute(first) ? first : undefined;
}

/** The XDG base directory specification has relative values ignored. */
function absoluteVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** Creates a directory that only its owner may enter, with its parents; one that is there stays as it is. */
export function createPrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}
