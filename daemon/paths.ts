import { errorCode } from '../model/error-code.ts';
import { ExitError } from '../model/exit-error.ts';
import './home-directory.ts';
import { join } from 'node:path';
import envPaths from 'env-paths';
import {
  handOverCandidates,
  runtimeDirectories,
  unitDirectory,
  type Environment,
} from '../client/waypoints/node/places.ts';
import type { Settings } from '../model/settings.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';

/** Every place on disk that waypointd knows: directories first, then the files in them (contract A). All absolute. */
export type Paths = Readonly<ReturnType<typeof computePaths>>;

const program = 'waypointd';
const handOverName = 'daemon.json';

/** The configuration file that is read when `--config` names none. */
export function defaultConfigFile(): string {
  return join(envPaths(program, { suffix: '' }).config, 'config.json');
}

/** Computes every path from the settings, whose paths are absolute already, and the environment. Touches no disk. */
export function computePaths(
  settings: Partial<Settings>,
  { configFile = defaultConfigFile(), env = process.env as Environment } = {},
) {
  const system = envPaths(program, { suffix: '' });
  const data = settings.data_dir ?? unitDirectory(env, 'STATE_DIRECTORY') ?? system.data;
  const cache = settings.cache_dir ?? unitDirectory(env, 'CACHE_DIRECTORY') ?? system.cache;
  const runtimes = runtimeDirectories(settings.runtime_dir, env);
  const runtime = runtimes[0] ?? data;
  const imports = join(data, 'imports');
  return {
    config: system.config,
    configFile,
    /** Directory of the user's own data and of what is rebuilt from them; everything below it is ours. */
    data,
    waypointsDatabase: join(data, 'waypoints.sqlite'),
    libraryDatabase: join(data, 'library.sqlite'),
    lockDatabase: join(data, 'lock.sqlite'),
    bookmarksFile: settings.bookmarks_file ?? join(data, 'bookmarks.gpx'),
    imports,
    /** Old bytes of replaced imports, by SHA-256. */
    replaced: join(imports, '.replaced'),
    geodata: join(data, 'geodata'),
    objects: settings.objects_root ?? join(data, 'objects'),
    backups: join(data, 'backups'),
    /** May be deleted at any time without loss. */
    cache,
    geocodeDatabase: join(cache, 'geocode.sqlite'),
    runtime,
    /** Names the directory of the running daemon's hand-over file, for programs that do not find it. */
    runtimeNote: join(data, 'runtime-directory'),
    /** The hand-over file that a daemon started with these paths writes. */
    handOver: join(runtime, handOverName),
    /** Where programs look for a running daemon's hand-over file, in this order. */
    handOverCandidates: handOverCandidates(runtimes, data),
  };
}

/**
 * Creates a private directory that a setting names, or finds it there.
 * @throws ExitError 78 when it cannot be made.
 */
export function requirePrivateDirectory(directory: string, flag: string): void {
  try {
    createPrivateDirectory(directory);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new ExitError(
      `The directory ${directory} cannot be made (${code}); choose another with ${flag}.`,
      78,
      error,
    );
  }
}
