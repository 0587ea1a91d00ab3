import { spawnSync } from 'node:child_process';
import test from 'ava';
import { allCommands } from '../cli/commands/all.ts';
import { completionLines } from '../cli/program/completion.ts';
import { buildProgram } from '../cli/program/program.ts';
import { launcher, testCli } from './helpers/cli.ts';
import { testWith } from './helpers/where.ts';

/** A line, its last word the one that is completed, and what is offered: words, or what kind of path. */
const lines: readonly [line: readonly string[], offered: readonly string[] | string][] = [
  [['book'], ['bookmark', 'bookmarks']],
  [
    ['bookmark', ''],
    ['add', 'rename', 'edit', 'rm', 'remove', 'merge'],
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
  [
    ['serve', '--log-level', '='],
    ['debug', 'info', 'warn', 'error', 'silent'],
  ],
  [['serve', '--log-level=w'], ['--log-level=warn']],
  [['--history', 'f'], ['false']],
  [['--history', 'true', 'histo'], ['history']],
  [['config', 'get', 'data'], ['data_dir']],
  [['config', 'set', 'port', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['help', 'hist'], ['history']],
  [['help', 'bookmark', 'a'], ['add']],
  [['he'], ['help']],
  [['de'], []],
  [['bookmark', 'he'], []],
  [['--he'], ['--help']],
  [['import', ''], 'file'],
  [['import', 'a', ''], 'file'],
  [['export', '-o', ''], 'file'],
  [['list', '--data-dir', ''], 'directory'],
  [['search', ''], []],
  [['bookmark', 'add', 'list', ''], []],
];

test('commands, options and their values are completed from the list of commands', async (t) => {
  const program = await buildProgram(allCommands);
  for (const [words, offered] of lines) {
    const [kind, ...rows] = completionLines(program, words);
    const what = words.join(' ');
    t.is(kind, typeof offered === 'string' ? offered : 'words', what);
    const shown = rows.map((row) => row.split('\t')[0] ?? '');
    t.deepEqual(new Set(shown), new Set(typeof offered === 'string' ? [] : offered), what);
  }
  t.deepEqual(completionLines(program, ['book']).at(1)?.split('\t'), [
    'bookmark',
    'add, rename, edit or remove a bookmark',
  ]);
});

test('completion prints the script of a shell, and names the shells it knows', async (t) => {
  const cli = testCli(t);
  const script = await cli.out(['completion', 'bash']);
  t.true(script.includes('complete -o default -F _waypointd waypointd'));
  const { code, stderr } = await cli.run(['completion', 'tcsh']);
  t.is(code, 64);
  t.regex(stderr, /bash, zsh, fish/u);
});

/** Lines of bash, which are as many starts of the program, and their answers; undefined where bash offers files. */
const typed: readonly [line: readonly string[], offered: string | undefined][] = [
  [['bookmark', ''], 'add rename edit rm remove merge'],
  [['serve', '--log-level', '=', 'w'], 'warn'],
  [['config', 'set', 'port', ''], ''],
  [['import', ''], undefined],
];

const hasBash = spawnSync('bash', ['--version']).status === 0;
testWith(hasBash, 'no bash')('bash completes commands, options and their values', async (t) => {
  const cli = testCli(t);
  const asked = typed.map(([words]) => `ask ${words.map((word) => `'${word}'`).join(' ')}`);
  // Where files are wanted the script leaves bash its own way; elsewhere it asks for an end of that.
  const script = `set -u
${await cli.out(['completion', 'bash'])}
waypointd() { "$NODE" "$LAUNCHER" "$@"; }
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
    env: { ...cli.env, NODE: process.execPath, LAUNCHER: launcher },
  });
  t.is(status, 0, stderr);
  t.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
    typed.map(([, offered]) => (offered === undefined ? 'yes' : `no ${offered}`.trimEnd())),
  );
});
