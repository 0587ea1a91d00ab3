import { Option, type Command } from 'commander';
import { absolutePath } from '../../client/waypoints/node/places.ts';
import { settingHelp, settingKeys, switches, type SettingKey } from '../../model/settings.ts';
import { computePaths, defaultConfigFile } from '../../daemon/paths.ts';
import { flagName, resolveSettings } from '../../daemon/settings.ts';

export type CommandContext = ReturnType<typeof contextOf>;

/** Adds a flag for every setting, accepted before and after the command's name; `config --help` lists them. */
export function addSettingFlags(program: Command): void {
  for (const key of settingKeys) {
    const value = switches.includes(key) ? '[true|false]' : '<value>';
    program.addOption(new Option(`--${flagName(key)} ${value}`, settingHelp[key]).hideHelp());
  }
  program.addOption(new Option('--config <file>', 'read this configuration file').hideHelp());
  program.addOption(
    new Option('--geodata-manifest <file>', 'another list of geodata generations').hideHelp(),
  );
}

export interface GivenFlags {
  readonly flags: Readonly<Partial<Record<SettingKey, string>>>;
  readonly config: string | undefined;
  readonly geodataManifest: string | undefined;
}

/**
 * Resolves the settings and paths of a command's call.
 * @throws ExitError for a setting that cannot be used.
 */
export function contextOf(given: GivenFlags) {
  const { flags, config, geodataManifest } = given;
  const cwd = process.cwd();
  const configFile = configFileOf(given);
  const configRequired = config !== undefined;
  const resolved = resolveSettings({ flags, env: process.env, configFile, configRequired, cwd });
  return {
    given,
    resolved,
    paths: computePaths(resolved.settings, { configFile }),
    /** The file that `--geodata-manifest` names, absolute. */
    geodataManifest: geodataManifest && absolutePath(geodataManifest, cwd),
  };
}

/** The configuration file of a call, without reading it. */
export function configFileOf({ config }: GivenFlags): string {
  return config === undefined ? defaultConfigFile() : absolutePath(config, process.cwd());
}

/** Reads the settings of a call; commander keeps them with the program, wherever they stand. */
export function givenFlags(command: Command): GivenFlags {
  const root = rootOf(command);
  const flags: Partial<Record<SettingKey, string>> = {};
  for (const key of settingKeys) {
    // commander keeps `--data-dir` as `dataDir`; a switch without a value is true.
    const value: unknown = root.getOptionValue(camelCase(key));
    if (value === true) flags[key] = 'true';
    else if (typeof value === 'string') flags[key] = value;
  }
  const { config, geodataManifest } = root.opts<{ config?: string; geodataManifest?: string }>();
  return { flags, config, geodataManifest };
}

export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function camelCase(key: string): string {
  return key.replace(/_(.)/gu, (_, letter: string) => letter.toUpperCase());
}

/** The table of setting flags that the help of `serve` and `config` ends with. */
export function settingFlagsHelp(): string {
  return `Settings (for every command; also WAYPOINTD_<KEY> in the environment and "waypointd config set"):
${flagLines((key) => !key.startsWith('objects_'))}
  --objects-…                 settings of the object server: see "waypointd objects serve --help"
  --config                    read this configuration file instead of the usual one
  --geodata-manifest          know the geodata generations of this file (flag only; for maintainers)`;
}

export function objectFlagsHelp(): string {
  return `Settings (also WAYPOINTD_<KEY> in the environment and "waypointd config set"):
${flagLines((key) => key.startsWith('objects_'))}`;
}

function flagLines(isWanted: (key: SettingKey) => boolean): string {
  return settingKeys
    .filter(isWanted)
    .map((key) => `  ${`--${flagName(key)}`.padEnd(27)} ${settingHelp[key]}`)
    .join('\n');
}
