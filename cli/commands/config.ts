import { unitDirectory } from '../../client/waypoints/node/places.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { settingKeys, type SettingKey } from '../../model/settings.ts';
import {
  changeConfigFile,
  checkSetting,
  environmentVariable,
  findSettingKey,
  flagName,
  type SettingSource,
} from '../../daemon/settings.ts';
import { defineCommand } from '../program/command.ts';
import { configFileOf, settingFlagsHelp, type CommandContext } from '../program/context.ts';
import { invocation } from '../terminal/invocation.ts';
import { note } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { forTerminal } from '../terminal/text.ts';

const get = defineCommand({
  name: 'get',
  summary: 'print one value',
  description: 'Prints one value; nothing when it is not set.',
  arguments: '<key>',
  run({ context, words: [name] }) {
    const key = requireKey(name);
    return valueOf(key, context) ?? null;
  },
  show: (value) => (value === null ? undefined : asText(value)),
});

const set = defineCommand({
  name: 'set',
  summary: 'write a value to config.json',
  description: 'Writes a value to config.json. A running daemon reads it at its next start.',
  arguments: '<key> <value>',
  examples: ['config set port 43100', 'config set history false'],
  async *run(call) {
    const [name, text] = call.words;
    const key = requireKey(name);
    const origin = { from: key, base: process.cwd(), exitCode: 64 } as const;
    const value = checkSetting(key, text.trim(), origin);
    const file = configFileOf(call.given);
    await changeConfigFile(file, key, value);
    yield `${key} = ${forTerminal(asText(value))}  (in ${file})`;
    noteOverride(key, call.context);
  },
});

const unset = defineCommand({
  name: 'unset',
  summary: 'remove a value from config.json',
  description: 'Removes a value from config.json, also one whose key is unknown.',
  arguments: '<key>',
  async *run({ given, words: [name] }) {
    const file = configFileOf(given);
    const key = findSettingKey(name) ?? name;
    const isChanged = await changeConfigFile(file, key, undefined);
    if (!isChanged) throw new ExitError(`"${forTerminal(key)}" is not set in ${file}.`);
    yield `${key} is no longer set in ${file}`;
  },
});

const path = defineCommand({
  name: 'path',
  summary: 'print where config.json is',
  description: 'Prints where config.json is, whether it is there yet or not.',
  run: ({ given }) => configFileOf(given),
});

export const command = defineCommand({
  name: 'config',
  summary: 'show and change the settings',
  description:
    'Prints every setting with its value and where that comes from: flag, environment, config.json or default, the first of these that has one.',
  notes: settingFlagsHelp,
  commands: [get, set, unset, path],
  run: ({ context }) =>
    Object.fromEntries(
      settingKeys.map((key) => [
        key,
        { value: valueOf(key, context) ?? null, source: sourceOf(key, context) },
      ]),
    ),
  show: (settings) =>
    tableLines(
      [
        { title: 'KEY', text: ([key]) => key },
        { title: 'VALUE', canShrink: true, text: ([, { value }]) => asText(value ?? '') },
        { title: 'FROM', text: ([, { source }]) => source },
      ],
      Object.entries(settings),
    ),
});

/** The variables in which systemd names the directories of a unit, which are used where no setting names another. */
const unitVariables: Partial<Record<SettingKey, string>> = {
  data_dir: 'STATE_DIRECTORY',
  cache_dir: 'CACHE_DIRECTORY',
  runtime_dir: 'RUNTIME_DIRECTORY',
};

function sourceOf(key: SettingKey, { resolved: { sources } }: CommandContext): SettingSource {
  const variable = unitVariables[key];
  const isOfUnit = variable !== undefined && unitDirectory(process.env, variable) !== undefined;
  return sources[key] === 'default' && isOfUnit ? 'environment' : sources[key];
}

/** A setting's value; directories that were not chosen show where they are. */
function valueOf(key: SettingKey, { resolved, paths }: CommandContext): unknown {
  const computed: Partial<Record<SettingKey, string>> = {
    data_dir: paths.data,
    cache_dir: paths.cache,
    runtime_dir: paths.runtime,
    bookmarks_file: paths.bookmarksFile,
  };
  const value = resolved.settings[key] ?? computed[key];
  // The URL of a database may have a password in it, in one of several places.
  const isUrl = key === 'objects_database' && String(value).startsWith('postgres');
  return isUrl ? 'postgres://…' : value;
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
export function noteOverride(key: SettingKey, { resolved }: CommandContext): void {
  const source = resolved.sources[key];
  if (source === 'environment') {
    note(`${environmentVariable(key)} in the environment overrides it.`);
  }
  if (source === 'flag') note(`--${flagName(key)} overrides it for this command only.`);
}
