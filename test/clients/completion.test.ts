import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { launcher, testCli } from '../helpers/cli.ts';
import { testWith } from '../helpers/where.ts';

type Shell = 'zsh' | 'fish';

const testShell = (shell: Shell) =>
  testWith(spawnSync(shell, ['--version']).status === 0, `no ${shell}`);

/** What stands on the line, and some of what must and must not be offered. */
const lines: readonly [line: string, offered: readonly string[], not: readonly string[]][] = [
  ['waypointd book', ['bookmark'], ['import']],
  ['waypointd bookmark ', ['add', 'rename', 'edit', 'rm', 'remove'], ['import', 'help']],
  ['waypointd bookmark rm --a', ['--at', '--allowed-hosts'], ['--json', '--tag']],
  ['waypointd --log-level ', ['debug', 'info', 'warn', 'error', 'silent'], ['import', 'a.gpx']],
  ['waypointd list --tag import --bo', ['--bookmarks', '--bookmarks-file'], ['--into']],
  ['waypointd config get data', ['data_dir'], ['port']],
  ['waypointd completion ', ['bash', 'zsh', 'fish'], ['a.gpx']],
  ['waypointd import a', ['a.gpx'], ['api']],
  ['waypointd help hist', ['history'], ['help']],
  ['waypointd service logs -f -', ['--lines'], ['--tag']],
];

/** The script of a shell in a directory with one file, and waypointd on the PATH. */
async function scriptOf(t: ExecutionContext, shell: Shell) {
  const cli = testCli(t);
  const file = join(cli.root, `waypointd.${shell}`);
  writeFileSync(file, await cli.out(['completion', shell]));
  writeFileSync(join(cli.root, 'a.gpx'), '');
  const bin = join(cli.root, 'home', 'bin');
  mkdirSync(bin);
  symlinkSync(launcher, join(bin, 'waypointd'));
  const path = [bin, process.env['PATH']].join(delimiter);
  return { file, cwd: cli.root, env: { ...cli.env, PATH: path } };
}

function check(t: ExecutionContext, line: string, words: readonly string[]): void {
  const [, offered = [], not = []] = lines.find(([known]) => known === line) ?? [];
  for (const word of offered)
    t.true(words.includes(word), `${line}: ${word} of ${words.join(' ')}`);
  for (const word of not) t.false(words.includes(word), `${line}: not ${word}`);
}

testShell('fish')('fish completes commands, options, values and files', async (t) => {
  const { file, cwd, env } = await scriptOf(t, 'fish');
  for (const [line] of lines) {
    const ask = `source ${file}; complete -C '${line}'`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', ask], {
      cwd,
      env,
      encoding: 'utf8',
    });
    t.is(stderr, '', line);
    check(
      t,
      line,
      stdout.split('\n').map((row) => row.split('\t')[0] ?? ''),
    );
  }
});

/**
 * zsh completes in its line editor only: a shell in a pseudo-terminal has a TAB typed to it, and prints what would have
 * been offered.
 */
const typing = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2=; stty -echo; unsetopt prompt_cr prompt_sp zle_bracketed_paste 2>/dev/null
autoload -Uz compinit; compinit -D -u
source $1
zstyle ':completion:*' completer _complete
compadd() {
  if [[ \\\${@[1,(i)(-|--)]} == *-(O|A|D)\\\\ * ]]; then builtin compadd \\"\\$@\\"; return; fi
  local -a hits
  builtin compadd -A hits \\"\\$@\\"
  print -rl -- \\"OFFERED:\\"\\$^hits
}
finish() { zle complete-word; print END; exit }
zle -N finish
bindkey '^I' finish
print READY"
local output="" piece
until [[ $output == *$'\\n'READY* ]]; do zpty -r shell piece && output+=$piece; done
output=""
zpty -w -n shell "$2"$'\\t'
while zpty -r shell piece; do output+=$piece; [[ $output == *END* ]] && break; done
print -r -- $output
`;

testShell('zsh')('zsh completes commands, options, values and files', async (t) => {
  const { file, cwd, env } = await scriptOf(t, 'zsh');
  for (const [line] of lines) {
    const { stdout } = spawnSync('zsh', ['-f', '-c', typing, 'zsh', file, line], {
      cwd,
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    const words = [...stdout.matchAll(/OFFERED:(\S+)/gu)].map(([, word = '']) => word);
    check(t, line, words);
  }
});
