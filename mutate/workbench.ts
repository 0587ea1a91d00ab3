/** A copy of the sources with every drawn mutant behind a switch, built once; the clone stays as it is. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { endProcesses, runWatched, type Ending, type Limits } from './watched-run.ts';
import { switchModule, withSwitches, type Switched } from './switches.ts';

/** Also the tests with other programs, which the suite has apart; one file after the other, in the order given. */
const config = `import process from 'node:process';
const order = process.argv.slice(2);
export default {
  extensions: ['ts'], files: ['test/**/*.test.ts'], timeout: '100m', concurrency: 1, failFast: true,
  workerThreads: false, cache: false,
  sortTestFiles: (a, b) => place(a) - place(b),
};
function place(file) { return order.findIndex((word) => file.endsWith(word)); }
`;

export class Workbench {
  readonly #root: string;
  readonly #directory: string;
  /** Files that the switches read and write. */
  readonly #active: string;
  readonly #reached: string;
  readonly #temporary: string;
  /** Of all that the tests depend on. */
  readonly sourcesHash: string;

  constructor(root: string) {
    this.#root = root;
    this.#directory = realpathSync(mkdtempSync(join(tmpdir(), 'waypointd-mutate-')));
    this.#active = join(this.#directory, 'active-mutant');
    this.#reached = join(this.#directory, 'reached-mutants');
    this.#temporary = join(this.#directory, 'tmp');
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
    const hash = createHash('sha256');
    for (const file of files
      .split('\0')
      .filter((name) => name !== '' && existsSync(join(root, name)))) {
      cpSync(join(root, file), join(this.#directory, file));
      if (file.endsWith('.ts')) hash.update(file).update(readFileSync(join(root, file)));
    }
    this.sourcesHash = hash.digest('hex').slice(0, 16);
  }

  /** Puts the mutants in, and builds. */
  prepare(mutants: readonly Switched[]): void {
    const directory = this.#directory;
    // Tests act as other users, too.
    chmodSync(directory, 0o755);
    const module = join(directory, 'mutant-switch.js');
    writeFileSync(module, switchModule(this.#active, this.#reached));
    for (const [file, own] of Map.groupBy(mutants, (mutant) => mutant.file)) {
      const path = join(directory, file);
      writeFileSync(path, withSwitches(file, readFileSync(path, 'utf8'), own, module));
    }
    cpSync(join(this.#root, 'geodata/generated'), join(directory, 'geodata/generated'), {
      recursive: true,
      preserveTimestamps: true,
    });
    symlinkSync(join(this.#root, 'node_modules'), join(directory, 'node_modules'), 'junction');
    writeFileSync(join(directory, 'ava.mutate.config.js'), config);
    execFileSync(process.execPath, ['bin/run.js', 'build/bundle.ts'], { cwd: directory });
  }

  /** Runs test files with one mutant on, or none for 0, until the first fails. */
  async run(tests: readonly string[], mutant: number, limits: Limits): Promise<Ending> {
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 10 });
    mkdirSync(this.#temporary);
    writeFileSync(this.#active, String(mutant));
    rmSync(this.#reached, { force: true });
    writeFileSync(this.#reached, '');
    chmodSync(this.#reached, 0o666);
    const words = ['bin/run.js', 'ava', '--config', 'ava.mutate.config.js', ...tests];
    return runWatched([process.execPath, ...words], {
      directory: this.#directory,
      env: { ...process.env, TMPDIR: this.#temporary, TEST_EFFORT: '1' },
      limits,
    });
  }

  /** The mutants whose code the last run without one has run. */
  reached(): number[] {
    const lines = readFileSync(this.#reached, 'utf8').split('\n').slice(0, -1);
    return [...new Set(lines.map(Number))].toSorted((a, b) => a - b);
  }

  close(): void {
    endProcesses(this.#directory);
    // The link goes before what it points to could.
    rmSync(join(this.#directory, 'node_modules'), { force: true });
    if (dirname(this.#directory) === realpathSync(tmpdir()))
      rmSync(this.#directory, { recursive: true, force: true });
  }
}
