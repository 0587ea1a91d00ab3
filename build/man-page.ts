import type { Command, Option } from 'commander';
import { termOf } from '../cli/program/program.ts';

/** The manual page of the program, in the language of roff, made from the list of commands. */
export function manPage(program: Command, version: string): string {
  const help = program.createHelp();
  const commands = help.visibleCommands(program).flatMap((command) => section(command));
  return [
    `.TH WAYPOINTD 1 "" "waypointd ${version}" "User Commands"`,
    '.SH NAME',
    `waypointd \\- ${escaped(program.description().split('\n')[0] ?? '')}`,
    '.SH SYNOPSIS',
    '.B waypointd',
    '.I command',
    '[\\fIarguments\\fR]',
    '.SH COMMANDS',
    ...commands,
    '.SH SEE ALSO',
    '"waypointd help COMMAND" says the same with examples.',
    '',
  ].join('\n');
}

function section(command: Command, above = ''): string[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `.SS ${escaped(above + termOf(command))}`,
    escaped(command.description().replaceAll('\n', ' ')),
    ...options.flatMap(item),
    ...command.commands.flatMap((below) => section(below, `${above}${command.name()} `)),
  ];
}

function item({ flags, description, argChoices }: Option): string[] {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  return ['.TP', `\\fB${escaped(flags)}\\fR`, escaped(description + choices)];
}

/** A line that roff takes for text, with its hyphens as they are typed. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/u, '\\&');
}
