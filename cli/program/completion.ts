import type { Command, Option } from 'commander';
import { pathSettings, settingKeys, settingSchemas, switches } from '../../model/settings.ts';
import { flagName } from '../../daemon/settings.ts';
import { rootOf } from './context.ts';

/** The kind of word at a position: any text, a path, or one of these words. */
type Completed = 'text' | 'file' | 'directory' | readonly string[];

type Place = ReturnType<typeof findPlace>;

/** A word that may stand at the cursor, and what it means. */
type Offer = readonly [word: string, description: string];

const explain = 'explain a command';

/**
 * Completions for the end of a command line.
 * @param words the line without the program, the last one being typed (perhaps empty).
 * @returns what is wanted (`words`, `file` or `directory`), then the words, each with a tab before what it means.
 */
export function completionLines(program: Command, words: readonly string[]): string[] {
  // bash makes three words of --option=value.
  const line = words.filter((word, at) => word !== '=' || at === words.length - 1);
  const last = line.at(-1) ?? '';
  const typed = last === '=' ? '' : last;
  if (line[0] === 'help' && line.length > 1) {
    return asLines(commandsOf(findPlace(program, line.slice(1, -1)).command), typed);
  }
  const place = findPlace(program, line.slice(0, -1));
  const [, flag = '', value] = /^(--[^=]+=)(.*)$/u.exec(typed) ?? [];
  if (value === undefined) return linesAt(place, typed);
  const option = findOption(place.command, flag.slice(0, -1));
  return linesOf(option === undefined ? 'text' : valueOf(option), value, flag);
}

function linesAt({ command, count, option }: Place, typed: string): string[] {
  if (option !== undefined) return linesOf(valueOf(option), typed);
  if (typed.startsWith('-')) return asLines(optionsOf(command), typed);
  const argument = argumentAt(command, count);
  if (argument !== 'text' || count > 0) return linesOf(argument, typed);
  const own: readonly Offer[] = command.parent === null ? [['help', explain]] : [];
  return asLines([...commandsOf(command), ...own], typed);
}

/**
 * Reads the words before the cursor as commander will.
 * @returns the command, the count of its arguments before the cursor, and the option whose value is wanted.
 */
function findPlace(program: Command, words: readonly string[]) {
  let [command, count] = [program, 0];
  let option: Option | undefined;
  for (const word of words) {
    // A switch may be followed by its value or by anything else.
    if (option?.required === true || (option !== undefined && /^(?:true|false)$/u.test(word))) {
      option = undefined;
      continue;
    }
    option = findOption(command, word);
    if (word.startsWith('-')) continue;
    const below = count > 0 ? undefined : visible(command).find((one) => isNamed(one, word));
    command = below ?? command;
    count = below === undefined ? count + 1 : 0;
  }
  return { command, count, option };
}

/** The option of this flag, if it takes a value. */
function findOption(command: Command, flag: string): Option | undefined {
  const option = everyOption(command).find(({ short, long }) => short === flag || long === flag);
  return option?.required === true || option?.optional === true ? option : undefined;
}

/** The options of a command, and those of the program, which every command knows. */
function everyOption(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : everyOption(rootOf(command));
  return [...command.options, ...above];
}

/** Hidden commands are nothing to be offered, nor is the help that commander adds. */
function visible(command: Command): readonly Command[] {
  const commands = command.createHelp().visibleCommands(command);
  return commands.filter((one) => one.name() !== 'help');
}

function isNamed(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

function commandsOf(command: Command): Offer[] {
  return visible(command).flatMap((one) =>
    [one.name(), ...one.aliases()].map((name) => [name, one.summary()] as const),
  );
}

function optionsOf(command: Command): Offer[] {
  const known = everyOption(command).flatMap(({ short, long, description }) =>
    [short, long].map((flag) => [flag ?? '', description] as const),
  );
  return [...known, ['-h', explain] as const, ['--help', explain] as const].filter(
    ([flag]) => flag !== '',
  );
}

function argumentAt({ registeredArguments: all }: Command, count: number): Completed {
  const last = all.at(-1);
  const argument = all[count] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return 'text';
  return argument.argChoices ?? completedBy(argument.name());
}

function valueOf(option: Option): Completed {
  const [, name = ''] = /[<[]([^>\]]+)[>\]]/u.exec(option.flags) ?? [];
  if (option.argChoices !== undefined) return option.argChoices;
  const setting = settingKeys.find((key) => option.long === `--${flagName(key)}`);
  if (setting !== undefined) return settingValue(setting);
  return name.includes('|') ? name.split('|') : completedBy(name);
}

function settingValue(key: (typeof settingKeys)[number]): Completed {
  const schema = settingSchemas[key];
  if ('options' in schema) return schema.options;
  if (switches.includes(key)) return ['true', 'false'];
  if (!pathSettings.includes(key)) return 'text';
  return /_(?:dir|root)$/u.test(key) ? 'directory' : 'file';
}

/** By what the help calls a value. */
function completedBy(name: string): Completed {
  if (name === 'path' || name === 'file' || name === 'manifest') return 'file';
  if (name === 'directory' || name === 'dir') return 'directory';
  return name === 'key' ? settingKeys : 'text';
}

/** @param before stands before each word, as `--option=` of the word being typed. */
function linesOf(completed: Completed, typed: string, before = ''): string[] {
  if (completed === 'file' || completed === 'directory') return [completed];
  const words = completed === 'text' ? [] : completed;
  return asLines(
    words.map((word) => [before + word, ''] as const),
    before + typed,
  );
}

function asLines(offers: readonly Offer[], typed: string): string[] {
  const fitting = offers.filter(([word]) => word.startsWith(typed));
  return [
    'words',
    ...fitting.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
  ];
}
