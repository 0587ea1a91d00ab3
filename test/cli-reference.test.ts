import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Argument, Command, Option } from 'commander';
import { allCommands } from '../cli/commands/all.ts';
import { defineCommand } from '../cli/program/command.ts';
import { completionLines } from '../cli/program/completion.ts';
import { buildProgram } from '../cli/program/program.ts';

const file = join(import.meta.dirname, '..', 'docs', 'cli.md');

/** docs/cli.md, made from the list of commands: every command that is not hidden, with its arguments and options. */
function commandReference(program: Command): string {
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

test('docs/cli.md has every command as the list has it', async (t) => {
  const reference = commandReference(await buildProgram(allCommands));
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, reference);
  t.true(readFileSync(file, 'utf8') === reference, 'UPDATE_DOCS=1 npm test writes it anew');
});

test('each command is listed by its own name, and says what it does', async (t) => {
  for (const { commands } of allCommands) {
    for (const [name, load] of Object.entries(commands)) {
      const { command } = await load();
      t.is(command.name, name);
      t.true(command.summary !== undefined, name);
      t.true(command.run !== undefined || (command.commands ?? []).length > 0, name);
    }
  }
});

test('a command that is added to the list is in help, completion and docs, with its values', async (t) => {
  const called: unknown[] = [];
  const command = defineCommand({
    name: 'greet',
    summary: 'greet someone',
    description: 'Greets someone.',
    arguments: '<name> [word...]',
    options: {
      '-l, --loud': 'in capitals',
      '--tone <tone>': { help: 'how', choices: ['warm', 'cold'], default: 'warm' },
    },
    run: ({ words, options }) => void called.push([words, options]),
  });
  const groups = [{ heading: 'Tests:', commands: { greet: () => Promise.resolve({ command }) } }];
  const program = await buildProgram([...allCommands, ...groups]);
  t.regex(program.helpInformation(), /Tests:\n {2}greet <name> \[word\.\.\.\] +greet someone/u);
  t.deepEqual(completionLines(program, ['gre']), ['words', 'greet\tgreet someone']);
  t.deepEqual(completionLines(program, ['greet', '--tone', '']), ['words', 'warm', 'cold']);
  t.true(commandReference(program).includes('## `waypointd greet <name> [word...]`'));
  await program.parseAsync(['greet', 'Ada', 'a', 'b', '--loud'], { from: 'user' });
  t.deepEqual(called, [[['Ada', ['a', 'b']], { loud: true, tone: 'warm' }]]);
});
