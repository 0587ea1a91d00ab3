import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { allCommands } from '../cli/commands/all.ts';
import { commandReference } from './helpers/command-reference.ts';
import { buildProgram } from '../cli/program/program.ts';

const file = join(import.meta.dirname, '..', 'docs', 'cli.md');

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
      t.true(command.isHidden === true || command.summary !== undefined, name);
      t.true(command.run !== undefined || (command.commands ?? []).length > 0, name);
    }
  }
});
