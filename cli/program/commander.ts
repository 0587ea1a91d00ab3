import { Argument, Option, type Command as Commander } from 'commander';
import { contextOf, givenFlags, type CommandContext } from './context.ts';
import type { Call, Command, OptionSpec } from './command.ts';

export function addCommand(parent: Commander, command: Command): void {
  if (command.group !== undefined) parent.commandsGroup(command.group);
  const added = parent.command(command.name);
  added
    .description(command.description ?? sentence(command.summary))
    .aliases(command.aliases ?? []);
  if (command.summary !== undefined) added.summary(command.summary);
  if (command.usage !== undefined) added.usage(command.usage);
  addArguments(added, command);
  addOptions(added, command);
  for (const sub of command.commands ?? []) addCommand(added, sub);
  const { run } = command;
  if (run !== undefined) added.action(() => run(callOf(added)));
}

function sentence(summary = ''): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function addArguments(added: Commander, { arguments: words = '', choices }: Command): void {
  for (const [at, word] of words.split(' ').filter(Boolean).entries()) {
    if (at > 0 || choices === undefined) added.argument(word);
    else added.addArgument(new Argument(word, choices.help).choices(choices.words));
  }
}

function addOptions(added: Commander, command: Command): void {
  const result = command.hasResult === true ? { '--json': 'print JSON' } : {};
  for (const [flags, option] of Object.entries({ ...command.options, ...result })) {
    added.addOption(makeOption(flags, typeof option === 'string' ? { help: option } : option));
  }
  const after = textAfter(command);
  if (after !== '') added.addHelpText('after', after);
}

function makeOption(flags: string, spec: OptionSpec): Option {
  const option = new Option(flags, spec.help);
  if (spec.choices !== undefined) option.choices(spec.choices);
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.isRequired === true) option.makeOptionMandatory();
  if (spec.isRepeated === true) {
    option.argParser((word, words?: string[]) => [...(words ?? []), word]);
  }
  return option;
}

/** Examples and notes, each after an empty line. */
function textAfter({ examples = [], notes = '' }: Command): string {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  const lines = examples.map((example) => `  waypointd ${example}`);
  const shown = examples.length === 0 ? '' : ['', title, ...lines].join('\n');
  const text = typeof notes === 'string' ? notes : notes();
  if (text === '') return shown;
  return `${shown === '' ? '' : `${shown}\n`}\n${text}`;
}

function callOf(command: Commander): Call {
  const own = command.options.filter(({ long }) => long !== '--json');
  const options = own.map((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return [option.attributeName(), value ?? (option.isBoolean() ? false : undefined)] as const;
  });
  let context: CommandContext | undefined;
  const given = givenFlags(command);
  return {
    words: command.processedArgs as unknown[],
    options: Object.fromEntries(options),
    // A command that has others takes it from them.
    isJson: command.optsWithGlobals()['json'] === true,
    given,
    get context() {
      return (context ??= contextOf(given));
    },
  };
}
