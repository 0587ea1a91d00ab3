import type { Command } from 'commander';
import { unitDirectory } from '../../client/waypoints/node/places.ts';
import { settingKeys, type SettingKey } from '../../model/settings.ts';
import {
  changeConfigFile,
  checkSetting,
  environmentVariable,
  findSettingKey,
  flagName,
  type ResolvedSettings,
  type SettingSource,
} from '../../daemon/settings.ts';
import type { Paths } from '../../daemon/paths.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { commandContext, configFileOf, settingFlagsHelp } from '../program/context.ts';
import { invocation } from '../terminal/invocation.ts';
import { note, print, printJson, terminalWidth } from '../terminal/output.ts';
import { forTerminal, layOut, tableLine, titleLine } from '../terminal/table.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `waypointd config`, `config get|set|unset|path` */
export function registerConfig(program: Command): void {
  const config = program
    .command('config')
    .summary('show and change the settings')
    .description(
      'Prints every setting with its value and where that comes from: flag, environment,\nconfig.json or default, the first of these that has one.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', settingFlagsHelp)
    .action(async (options: JsonOption, command: Command) => showAll(command, options));

  config
    .command('get <key>')
    .summary('print one value')
    .description('Prints one value; nothing when it is not set.')
    .action(async (name: string, _: unknown, command: Command) => {
      const key = requireKey(name);
      const { resolved, paths } = commandContext(command);
      const value = valueOf(key, resolved, paths);
      if (command.optsWithGlobals()['json'] === true) return printJson(value ?? null);
      if (value !== undefined) await print(asText(value));
    });

  config
    .command('set <key> <value>')
    .summary('write a value to config.json')
    .description('Writes a value to config.json. A running daemon reads it at its next start.')
    .addHelpText(
      'after',
      '\nExamples:\n  waypointd config set port 43100\n  waypointd config set history false',
    )
    .action(async (name: string, text: string, _: unknown, command: Command) => {
      const key = requireKey(name);
      const value = checkSetting(key, text.trim(), {
        from: key,
        base: process.cwd(),
        exitCode: 64,
      });
      const file = configFileOf(command);
      await changeConfigFile(file, key, value);
      await print(`${key} = ${forTerminal(asText(value))}  (in ${file})`);
      noteOverride(key, command);
    });

  config
    .command('unset <key>')
    .summary('remove a value from config.json')
    .description('Removes a value from config.json, also one whose key is unknown.')
    .action(async (name: string, _: unknown, command: Command) => {
      const file = configFileOf(command);
      const key = findSettingKey(name) ?? name;
      const isChanged = await changeConfigFile(file, key, undefined);
      if (!isChanged) throw new ExitError(`"${forTerminal(key)}" is not set in ${file}.`);
      await print(`${forTerminal(key)} is no longer set in ${file}`);
    });

  config
    .command('path')
    .summary('print where config.json is')
    .description('Prints where config.json is, whether it is there yet or not.')
    .action(async (_: unknown, command: Command) => print(configFileOf(command)));
}

async function showAll(command: Command, { json }: JsonOption): Promise<void> {
  const { resolved, paths } = commandContext(command);
  const shown = settingKeys.map((key) => ({
    key,
    value: valueOf(key, resolved, paths),
    source: sourceOf(key, resolved),
  }));
  if (json === true) {
    const entries = shown.map(({ key, value, source }) => [key, { value: value ?? null, source }]);
    return printJson(Object.fromEntries(entries));
  }
  const rows = shown.map(({ key, value, source }) => [key, asText(value ?? ''), source]);
  const columns = [{ title: 'KEY' }, { title: 'VALUE', canShrink: true }, { title: 'FROM' }];
  const layout = layOut(columns, rows, terminalWidth());
  await print(titleLine(layout));
  for (const row of rows) await print(tableLine(layout, row));
}

/** The variables in which systemd names the directories of a unit, which are used where no setting names another. */
const unitVariables: Partial<Record<SettingKey, string>> = {
  data_dir: 'STATE_DIRECTORY',
  cache_dir: 'CACHE_DIRECTORY',
  runtime_dir: 'RUNTIME_DIRECTORY',
};

function sourceOf(key: SettingKey, { sources }: ResolvedSettings): SettingSource {
  const variable = unitVariables[key];
  const isOfUnit = variable !== undefined && unitDirectory(process.env, variable) !== undefined;
  return sources[key] === 'default' && isOfUnit ? 'environment' : sources[key];
}

/** A setting's value; directories that nobody chose show where they are. */
function valueOf(key: SettingKey, { settings }: ResolvedSettings, paths: Paths): unknown {
  const computed: Partial<Record<SettingKey, string>> = {
    data_dir: paths.data,
    cache_dir: paths.cache,
    runtime_dir: paths.runtime,
    bookmarks_file: paths.bookmarksFile,
  };
  return settings[key] ?? computed[key];
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function requireKey(name: string): SettingKey {
  const key = findSettingKey(name);
  if (key !== undefined) return key;
  throw usageError(`"${forTerminal(name)}" is not a setting; "${invocation()} config" lists them.`);
}

/** A value in the file is of no use while something stronger is set. */
function noteOverride(key: SettingKey, command: Command): void {
  const source = commandContext(command).resolved.sources[key];
  if (source === 'environment')
    note(`${environmentVariable(key)} in the environment overrides it.`);
  if (source === 'flag') note(`--${flagName(key)} overrides it for this command only.`);
}
