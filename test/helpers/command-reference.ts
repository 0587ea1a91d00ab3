import type { Argument, Command, Option } from 'commander';

/** docs/cli.md, made from the list of commands: every command that is not hidden, with its arguments and options. */
export function commandReference(program: Command): string {
  const help = program.createHelp();
  const sections = help.visibleCommands(program).flatMap((command) => describe(command));
  return [
    '# Commands',
    'Made from the list of commands; `UPDATE_DOCS=1 npm test` writes it anew. `waypointd help COMMAND` says the same with examples.',
    'Settings such as `--port` and `--data-dir` work with every command: `waypointd config --help` lists them.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

function describe(command: Command, above = 'waypointd'): string[] {
  const path = `${above} ${command.name()}`;
  const words = [path, ...command.registeredArguments.map(written)].join(' ');
  const options = command.options.filter(({ hidden }) => !hidden).map(asItem);
  const below = command.commands.flatMap((sub) => describe(sub, path));
  const text = command.description();
  return [`## \`${words}\``, text, ...(options.length > 0 ? [options.join('\n')] : []), ...below];
}

function written(argument: Argument): string {
  const word = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${word}>` : `[${word}]`;
}

function asItem({ flags, description, argChoices }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  return `- \`${flags}\`: ${description}${choices}`;
}
