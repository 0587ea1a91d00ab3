import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import test from 'ava';
import { registerAll } from '../cli/commands/all-commands.ts';
import { completedProgram } from '../cli/commands/completion.ts';
import { addSettingFlags } from '../cli/program/context.ts';
import { bashCompletion } from '../cli/completion/bash.ts';
import { placedCommands } from '../cli/completion/command-tree.ts';
import { fishCompletion } from '../cli/completion/fish.ts';
import { zshCompletion } from '../cli/completion/zsh.ts';
import { testCli } from './helpers/cli.ts';

const program = new Command('waypointd');
addSettingFlags(program);
registerAll(program);
const completed = completedProgram(program);

test('completion prints the script of a shell, and names the shells it knows', async (t) => {
  const cli = testCli(t);
  const script = await cli.out(['completion', 'bash']);
  t.true(script.includes('complete -o default -F _waypointd waypointd'));
  const { code, stderr } = await cli.run(['completion', 'tcsh']);
  t.is(code, 64);
  t.regex(stderr, /bash, zsh, fish/u);
});

test('every command of the program is in every script, hidden ones are not', (t) => {
  const paths = placedCommands(completed).map(({ path }) => path);
  for (const path of ['', ' import', ' bookmark add', ' config get', ' completion', ' help']) {
    t.true(paths.includes(path), path);
  }
  t.false(paths.includes(' demo'));
  t.false(paths.includes(' bookmark help'));
  const bash = bashCompletion(completed);
  const zsh = zshCompletion(completed);
  const fish = fishCompletion(completed);
  for (const path of paths) {
    t.true(bash.includes(`    "${path}") options="`), path);
    t.true(zsh.includes(`_waypointd${path.replaceAll(' ', '__')}() {`), path);
    if (path !== '') t.true(fish.includes(`set path '${path}'`), path);
  }
});

test('a description cannot leave its quotes', (t) => {
  const option = {
    names: ['-x', '--evil'],
    description: 'it\'s [a] test: $(touch x) `y` \\ "',
    value: undefined,
    needsValue: false,
  };
  const evil = { ...completed, options: [option], commands: [] };
  t.true(zshCompletion(evil).includes("it'\\''s \\[a\\] test\\: $(touch x)"));
  t.true(fishCompletion(evil).includes("-d 'it\\'s [a] test: $(touch x) `y` \\\\ \"'"));
  t.false(bashCompletion(evil).includes('touch'), 'bash shows no descriptions');
});

/** A line, its last word the one that is completed, and what is offered; undefined where bash offers files. */
const lines: readonly [line: readonly string[], offered: readonly string[] | undefined][] = [
  [['book'], ['bookmark']],
  [
    ['bookmark', ''],
    ['add', 'rename', 'edit', 'rm', 'remove'],
  ],
  [
    ['bookmark', 'remove', 'X', '--a'],
    ['--at', '--allowed-hosts'],
  ],
  [['bookmark', 'rm', '--at'], ['--at']],
  [
    ['list', '--tag', 'import', '--bo'],
    ['--bookmarks', '--bookmarks-file'],
  ],
  [['--data-dir', '/x', 'histo'], ['history']],
  [
    ['--log-level', ''],
    ['debug', 'info', 'warn', 'error', 'silent'],
  ],
  [['serve', '--log-level', '=', 'w'], ['warn']],
  [['--history', 'f'], ['false']],
  [['config', 'get', 'data'], ['data_dir']],
  [['config', 'set', 'port', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['help', 'hist'], ['history']],
  [['import', ''], undefined],
  [['import', 'a', ''], undefined],
  [['export', '-o', ''], undefined],
  [['search', ''], []],
  [['bookmark', 'add', 'list', ''], []],
];

const hasBash = spawnSync('bash', ['--version']).status === 0;
(hasBash ? test : test.skip)('bash completes commands, options and their values', (t) => {
  const asked = lines.map(([words]) => `ask ${words.map((word) => `'${word}'`).join(' ')}`);
  // Where files are wanted the script leaves bash its own way; elsewhere it asks for an end of that.
  const script = `set -u
${bashCompletion(completed)}
compopt() { if [[ $1 == +o ]]; then files=no; fi; }
ask() {
  COMP_WORDS=(waypointd "$@") COMP_CWORD=$# COMPREPLY=() files=yes
  _waypointd
  echo "$files \${COMPREPLY[*]-}"
}
${asked.join('\n')}
`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
  });
  t.is(status, 0, stderr);
  const answers = stdout.trimEnd().split('\n');
  t.is(answers.length, lines.length);
  for (const [at, [words, offered]] of lines.entries()) {
    const [files, ...given] = (answers[at] ?? '').split(' ');
    const shown = given.filter((word) => word !== '');
    const what = words.join(' ');
    t.is(files, offered === undefined ? 'yes' : 'no', what);
    t.deepEqual(new Set(shown), new Set(offered), what);
  }
});
