import { Argument, type Command, type Option } from 'commander';
import { settingKeys, settingSchemas } from '../../model/settings.ts';
import type { Completed, CompletedCommand, CompletedOption } from '../completion/command-tree.ts';
import { pathSettings } from '../../daemon/paths.ts';
import { flagName, switches } from '../../daemon/settings.ts';
import { write } from '../terminal/output.ts';

/** Loaded when they are wanted: every command registers this one. */
const shells = {
  bash: async () => (await import('../completion/bash.ts')).bashCompletion,
  zsh: async () => (await import('../completion/zsh.ts')).zshCompletion,
  fish: async () => (await import('../completion/fish.ts')).fishCompletion,
} as const;
type Shell = keyof typeof shells;

/** `waypointd completion` */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a script that lets your shell complete commands')
    .description(
      'Prints the script with which a shell completes the commands and options of waypointd.',
    )
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
To use it:
  bash   add to ~/.bashrc:  source <(waypointd completion bash)
  zsh    add to ~/.zshrc, after compinit:  source <(waypointd completion zsh)
  fish   waypointd completion fish > ~/.config/fish/completions/waypointd.fish`,
    )
    .action(async (shell: Shell) => {
      const completion = await shells[shell]();
      await write(completion(completedProgram(program)));
    });
}

/** The program as shells complete it. Every option of it is one of each command, too. */
export function completedProgram(program: Command): CompletedCommand {
  const { commands, options, ...described } = describe(program);
  const help = { names: ['-h', '--help'], description: 'explain a command', ...asSwitch };
  const names = commands.flatMap((command) => command.names);
  return {
    ...described,
    options: [...options, help],
    commands: [...commands, { ...helpCommand, arguments: [names] }],
  };
}

const asSwitch = { value: undefined, needsValue: false } as const;
/** Read before commander sees it, so that commander does not know it. */
const helpCommand = {
  names: ['help'],
  description: 'explain a command',
  options: [],
  isVariadic: false,
  commands: [],
} as const;

function describe(command: Command): CompletedCommand {
  const { registeredArguments: all } = command;
  // A hidden command is nothing to be offered, nor is the help that commander adds.
  const offered = command.createHelp().visibleCommands(command);
  return {
    names: [command.name(), ...command.aliases()],
    description: command.summary(),
    options: command.options.map(describeOption),
    arguments: all.map((argument) => argument.argChoices ?? completedBy(argument.name())),
    isVariadic: all.at(-1)?.variadic === true,
    commands: offered.filter((one) => one.name() !== helpCommand.names[0]).map(describe),
  };
}

function describeOption(option: Option): CompletedOption {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const { description, required: needsValue } = option;
  return { names, description, value: valueOf(option), needsValue };
}

function valueOf(option: Option): Completed | undefined {
  const [, name] = /[<[]([^>\]]+)[>\]]/u.exec(option.flags) ?? [];
  if (name === undefined) return undefined;
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
