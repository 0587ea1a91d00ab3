import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import type { TestObjects } from './objects.ts';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A home of its own, with one user's password in git's store, a bare git repository, and clones of it. */
export class Desk {
  readonly root: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly url: string;

  constructor(
    root: string,
    { url, port }: Pick<TestObjects, 'url' | 'port'>,
    login: string,
    env = {},
  ) {
    this.root = root;
    this.url = url;
    const home = join(root, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'passwords'), `http://${login}@127.0.0.1:${port}\n`, { mode: 0o600 });
    this.#env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...env,
    };
    const config = [
      ['user.name', 'Ann'],
      ['user.email', 'ann@example.org'],
      ['init.defaultBranch', 'main'],
      ['credential.helper', `store --file=${join(home, 'passwords')}`],
      ['filter.lfs.clean', 'git-lfs clean -- %f'],
      ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
      ['filter.lfs.process', 'git-lfs filter-process'],
      ['filter.lfs.required', 'true'],
    ];
    const lines = config.map(([key = '', value = '']) => {
      const [section, name] = [
        key.slice(0, key.lastIndexOf('.')),
        key.slice(key.lastIndexOf('.') + 1),
      ];
      const head = section.includes('.') ? `[${section.replace('.', ' "')}"]` : `[${section}]`;
      return `${head}\n\t${name} = ${value}\n`;
    });
    writeFileSync(join(home, '.gitconfig'), lines.join(''));
  }

  async run(t: ExecutionContext, directory: string, ...words: string[]): Promise<string> {
    const { code, output } = await this.try(directory, ...words);
    t.is(code, 0, `git ${words.join(' ')}: ${output}`);
    return output;
  }

  async try(directory: string, ...words: string[]): Promise<Ended> {
    const child = spawn('git', words, {
      cwd: join(this.root, directory),
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((done) => child.on('close', done));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, output: out + err };
  }

  /** A clone with files in one commit, every `*.bin` of which is an object, and hooks that push them. */
  async work(
    t: ExecutionContext,
    files: Readonly<Record<string, Uint8Array>>,
    lfs: readonly string[],
  ): Promise<void> {
    mkdirSync(join(this.root, 'work'));
    await this.run(t, '.', 'init', '-q', '--bare', 'remote.git');
    await this.run(t, 'work', 'init', '-q');
    await this.run(t, 'work', 'lfs', 'install', '--local');
    await this.run(t, 'work', 'remote', 'add', 'origin', join(this.root, 'remote.git'));
    for (const line of lfs) {
      const [key = '', value = ''] = line.split('=');
      await this.run(t, 'work', 'config', '--file', '.lfsconfig', key, value);
    }
    writeFileSync(
      join(this.root, 'work', '.gitattributes'),
      '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    );
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(this.root, 'work', name), content);
    await this.run(t, 'work', 'add', '.');
    await this.run(t, 'work', 'commit', '-qm', 'files');
  }

  push(): Promise<Ended> {
    return this.try('work', 'push', '-q', '-u', 'origin', 'HEAD');
  }
}
