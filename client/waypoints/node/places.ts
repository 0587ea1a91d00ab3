import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { attempt } from '../../../model/attempt.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const program = 'waypointd';
const handOverName = 'daemon.json';
/** Where a daemon that is a service of the whole machine puts its hand-over file. */
export const systemHandOver = `/run/${program}/${handOverName}`;
const isWindows = process.platform === 'win32';
/** A longer configuration file is some other file. */
const maxConfigBytes = 1_048_576;

/** The directories that a daemon with this setting and environment writes its hand-over file to, the strongest first. */
export function runtimeDirectories(setting: string | undefined, env: Environment): string[] {
  const session = env['XDG_RUNTIME_DIR'];
  const directories = [
    setting,
    unitDirectory(env, 'RUNTIME_DIRECTORY'),
    // The XDG base directory specification has relative values ignored.
    session !== undefined && isAbsolute(session) ? join(session, program) : undefined,
  ];
  return directories.filter((directory) => directory !== undefined);
}

/** The files in which programs look for a daemon, in this order (contract A, row "hand-over"). */
export function handOverCandidates(runtime: readonly string[], data: string): string[] {
  const uid = process.getuid?.();
  // A daemon started from another session, or by the system, has put its file elsewhere.
  const others = isWindows
    ? [data]
    : [`/run/user/${uid}/${program}`, data, dirname(systemHandOver)];
  return [...new Set([...runtime, ...others])].map((directory) => join(directory, handOverName));
}

/** A directory that systemd made for a unit. It separates several by colons; ours is the first. */
export function unitDirectory(env: Environment, name: string): string | undefined {
  const first = isWindows ? env[name] : env[name]?.split(':')[0];
  return first !== undefined && isAbsolute(first) ? first : undefined;
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

/** Directories that a program names itself; the others are found as the daemon finds them. */
export interface ChosenDirectories {
  readonly dataDir?: string | undefined;
  readonly runtimeDir?: string | undefined;
}

/** Where the daemon of this user and these directories has left its hand-over file. */
export function daemonPlaces(chosen: ChosenDirectories = {}, env: Environment = process.env) {
  const { WAYPOINTD_DATA_DIR, WAYPOINTD_RUNTIME_DIR } = env;
  const { dataDir, runtimeDir } = {
    ...configuredDirectories(env),
    ...given({ dataDir: WAYPOINTD_DATA_DIR, runtimeDir: WAYPOINTD_RUNTIME_DIR }),
    ...given(chosen),
  };
  const data = dataDir ?? unitDirectory(env, 'STATE_DIRECTORY') ?? userDirectory('data', env);
  return {
    data,
    /** Somebody named the data directory: then the daemon of another one is not meant. */
    isDataChosen: dataDir !== undefined,
    candidates: handOverCandidates(runtimeDirectories(runtimeDir, env), data),
  };
}

/** The directories that are named, absolute; what is no text, or an empty one, names none. */
function given(
  { dataDir, runtimeDir }: { readonly dataDir?: unknown; readonly runtimeDir?: unknown },
  base = process.cwd(),
): ChosenDirectories {
  return {
    ...(isText(dataDir) ? { dataDir: absolutePath(dataDir, base) } : {}),
    ...(isText(runtimeDir) ? { runtimeDir: absolutePath(runtimeDir, base) } : {}),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Reads the user's `config.json`; a malformed one counts as empty: no daemon starts with it. */
function configuredDirectories(env: Environment): ChosenDirectories {
  const file = join(userDirectory('config', env), 'config.json');
  try {
    if (statSync(file).size > maxConfigBytes) return {};
    const config: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, ''));
    const { data_dir, runtime_dir } = Object(config) as Readonly<Record<string, unknown>>;
    return given({ dataDir: data_dir, runtimeDir: runtime_dir }, dirname(file));
  } catch {
    return {}; // Not there, as a rule.
  }
}

/** The directory of this program where each system keeps such things; the same ones that the daemon takes. */
function userDirectory(kind: 'data' | 'config', env: Environment): string {
  // Users without an account entry, as of some containers, have none; then there is nothing below it either.
  const home = attempt(homedir) ?? '/nonexistent';
  const isData = kind === 'data';
  if (process.platform === 'darwin') {
    return join(home, 'Library', isData ? 'Application Support' : 'Preferences', program);
  }
  if (isWindows) {
    const [variable, folder] = isData ? ['LOCALAPPDATA', 'Local'] : ['APPDATA', 'Roaming'];
    const parent = env[variable] || join(home, 'AppData', folder);
    return join(parent, program, isData ? 'Data' : 'Config');
  }
  return isData
    ? join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), program)
    : join(env['XDG_CONFIG_HOME'] || join(home, '.config'), program);
}
