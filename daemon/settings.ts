import { attempt } from '../model/attempt.ts';
import { ExitError } from '../model/exit-error.ts';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { absolutePath } from '../client/waypoints/node/places.ts';
import { errorCode } from '../model/error-code.ts';
import { parseJson } from '../model/parse-json.ts';
import {
  pathSettings,
  settingDefaults,
  settingKeys,
  settingSchemas,
  type SettingKey,
  type Settings,
} from '../model/settings.ts';
import { writeFileAtomic } from '../storage/atomic-file.ts';
import { createPrivateDirectory } from '../storage/private-directory.ts';

/** Where a setting's value comes from, the strongest first. */
export type SettingSource = 'flag' | 'environment' | 'config.json' | 'default';

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
}

export interface SettingInputs {
  /** Values of `--data-dir` and the like, by setting. */
  readonly flags: Readonly<Partial<Record<SettingKey, string>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configFile: string;
  /** Whether `--config` named the file: then it has to be there. */
  readonly configRequired?: boolean;
  /** Base of relative paths in flags and the environment. */
  readonly cwd: string;
}

/** Where a value stands, for the sentence about a bad one. */
interface SettingOrigin {
  readonly from: string;
  /** Base of a relative path. */
  readonly base: string;
  readonly exitCode?: 64 | 78;
}

const environmentPrefix = 'WAYPOINTD_';

/**
 * Collects every setting: flag, then environment, then `config.json`, then default.
 * @throws ExitError 64 (usage) for a bad flag, 78 (configuration) for the environment and `config.json`: an unknown key,
 * a bad value or a file that cannot be read. The sentence names the key and never the value, which may be a position.
 */
export function resolveSettings(inputs: SettingInputs): ResolvedSettings {
  const { flags, env, configFile, cwd } = inputs;
  checkEnvironmentNames(env);
  const file = readConfigFile(configFile, inputs.configRequired ?? false);
  checkConfigKeys(file, configFile);
  const settings: Record<string, unknown> = { ...settingDefaults };
  const sources: Partial<Record<SettingKey, SettingSource>> = {};
  for (const key of settingKeys) {
    const name = environmentVariable(key);
    const given: readonly [SettingSource, unknown, SettingOrigin][] = [
      ['flag', flags[key], { from: `--${flagName(key)}`, base: cwd, exitCode: 64 }],
      // An empty variable is one that is not set.
      ['environment', env[name] || undefined, { from: name, base: cwd }],
      ['config.json', file[key], { from: `"${key}" in ${configFile}`, base: dirname(configFile) }],
    ];
    const [source, value, origin] = given.find(([, found]) => found !== undefined) ?? [];
    if (origin !== undefined) settings[key] = checkSetting(key, value, origin);
    sources[key] = source ?? 'default';
  }
  // Sound: every key was checked against its own schema, and every key has a source.
  return {
    settings: settings as unknown as Settings,
    sources: sources as Record<SettingKey, SettingSource>,
  };
}

/** `data_dir` as a command-line flag without its dashes: `data-dir`. */
export function flagName(key: SettingKey): string {
  return key.replaceAll('_', '-');
}

/** `data_dir` as an environment variable: `WAYPOINTD_DATA_DIR`. */
export function environmentVariable(key: SettingKey): string {
  return environmentPrefix + key.toUpperCase();
}

/** The setting of this name, also written as its flag (`data-dir`). */
export function findSettingKey(name: string): SettingKey | undefined {
  const wanted = name.replaceAll('-', '_').toLowerCase();
  return settingKeys.find((key) => key === wanted);
}

/**
 * Checks one value, given as text or as JSON, and makes paths absolute.
 * @throws ExitError naming `from`.
 */
export function checkSetting(
  key: SettingKey,
  value: unknown,
  { from, base, exitCode = 78 }: SettingOrigin,
): unknown {
  const result = settingSchemas[key].safeParse(value);
  if (!result.success) {
    const form = result.error.issues[0]?.message;
    throw new ExitError(`The value of ${from} is not valid: ${form}.`, exitCode);
  }
  // Argument lists and config.json are for everybody's eyes.
  const isUrl = key === 'objects_database' && String(result.data).startsWith('postgres');
  if (isUrl && from !== environmentVariable(key)) {
    throw new ExitError(
      `The value of ${from} holds a password: put the URL into a file of your own and name that, or into the environment.`,
      exitCode,
    );
  }
  const isPath = pathSettings.includes(key) && typeof result.data === 'string';
  return isPath ? absolutePath(String(result.data), base) : result.data;
}

/**
 * A misspelled variable would leave a setting at its default without a word, so it is refused. An empty variable is
 * one that is not set.
 */
function checkEnvironmentNames(env: SettingInputs['env']): void {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(environmentPrefix) || value === '') continue;
    if (settingKeys.some((key) => environmentVariable(key) === name)) continue;
    throw new ExitError(
      `The environment variable ${name} is not a setting; "waypointd config" lists them.`,
      78,
    );
  }
}

function checkConfigKeys(file: Readonly<Record<string, unknown>>, configFile: string): void {
  const unknown = Object.keys(file).find((key) => !settingKeys.some((known) => known === key));
  if (unknown === undefined) return;
  throw new ExitError(
    `"${unknown}" in ${configFile} is not a setting; "waypointd config unset ${unknown}" removes it.`,
    78,
  );
}

/** Reads `config.json` as it is, keys unchecked; a file that is not there is an empty one unless it is required. */
function readConfigFile(path: string, required: boolean): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT')
      throw new ExitError(`The configuration file ${path} cannot be read.`, 78);
    if (required) throw new ExitError(`There is no configuration file ${path}.`, 78);
    return {};
  }
  // Editors on Windows put a byte order mark first, which JSON does not allow.
  const value = parseJson(text.replace(/^\uFEFF/u, ''));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ExitError(
      `The configuration file ${path} is not a JSON object; mend or move it.`,
      78,
    );
  }
  return { ...value };
}

/**
 * Changes one key of `config.json` and leaves the others as they are; `undefined` removes it.
 * @returns whether the file had to be changed.
 * @throws ExitError when the file that is there is malformed: it is never overwritten.
 */
export async function changeConfigFile(
  configFile: string,
  key: string,
  value: unknown,
): Promise<boolean> {
  const file = readConfigFile(configFile, false);
  if (value === undefined && !Object.hasOwn(file, key)) return false;
  // A key without a value is left out by JSON.
  const text = `${JSON.stringify({ ...file, [key]: value }, null, 2)}\n`;
  createPrivateDirectory(dirname(configFile));
  // A configuration kept elsewhere and linked to stays linked; it may not be there yet.
  const target = attempt(() => realpathSync(configFile)) ?? configFile;
  await writeFileAtomic(target, text);
  return true;
}

/**
 * Checks what no setting shows alone. Commands that read and change settings do not call it: of two settings that need
 * each other one has to be set first.
 * @throws ExitError 78
 */
export function checkTogether(settings: Settings): void {
  const missing = missingPartner(settings);
  if (missing !== undefined) throw new ExitError(missing, 78);
}

function missingPartner(settings: Settings): string | undefined {
  const { location_provider: provider, location_command, location_static } = settings;
  if (provider === 'command' && location_command === undefined)
    return needs('location_provider command', 'location_command', 'the program to run');
  if (provider === 'static' && location_static === undefined)
    return needs('location_provider static', 'location_static', 'the position "lat,lon"');
  if (provider === 'geoclue' && process.platform !== 'linux')
    return 'The setting location_provider is geoclue, which is a service of Linux; docs/location.md tells what there is on other systems.';
  const { geocoder, geocoder_url } = settings;
  if ((geocoder === 'nominatim' || geocoder === 'photon') && geocoder_url === undefined)
    return needs(`geocoder ${geocoder}`, 'geocoder_url', 'the address of the server');
  return undefined;
}

function needs(given: string, key: string, what: string): string {
  return `The setting ${given} needs another one, ${key}: ${what}.`;
}

/** The location provider that the settings choose; `auto` is what this system has of its own. */
export function chosenProvider(settings: Settings): Settings['location_provider'] {
  const { location_provider: provider, location_command, location_static } = settings;
  if (provider !== 'auto') return provider;
  if (location_command !== undefined) return 'command';
  return location_static === undefined ? 'auto' : 'static';
}
