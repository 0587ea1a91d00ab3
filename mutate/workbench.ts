/** A copy of the sources in which one file at a time is made wrong; the clone stays as it is. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Mutant } from './places.ts';

export type Outcome = 'passed' | 'failed' | 'hangs';

/** Far more than the slowest test files take together on a busy machine, ms. */
const patienceMs = 20 * 60_000;

/** Also the tests with other programs, which the suite has apart. */
const config = `export default {
  extensions: ['ts'], files: ['test/**/*.test.ts'], timeout: '300s', concurrency: 2, failFast: true,
  workerThreads: false,
};
`;

export class Workbench {
  readonly root: string;
  readonly directory: string;
  /** Of all that the tests depend on. */
  readonly sourcesHash: string;

  constructor(root: string) {
    this.root = root;
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'waypointd-mutate-')));
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
    const hash = createHash('sha256');
    for (const file of files
      .split('\0')
      .filter((name) => name !== '' && existsSync(join(root, name)))) {
      cpSync(join(root, file), join(this.directory, file));
      if (file.endsWith('.ts')) hash.update(file).update(readFileSync(join(root, file)));
    }
    this.sourcesHash = hash.digest('hex').slice(0, 16);
    cpSync(join(root, 'geodata/generated'), join(this.directory, 'geodata/generated'), {
      recursive: true,
      preserveTimestamps: true,
    });
    symlinkSync(join(root, 'node_modules'), join(this.directory, 'node_modules'), 'junction');
    writeFileSync(join(this.directory, 'ava.mutate.config.js'), config);
  }

  /** Runs test files until the first fails. */
  run(tests: readonly string[], env: Readonly<Record<string, string>> = {}): Outcome {
    const words = ['bin/run.js', 'ava', '--config', 'ava.mutate.config.js', ...tests];
    const { status, error } = spawnSync(process.execPath, words, {
      cwd: this.directory,
      env: { ...process.env, ...env },
      stdio: 'ignore',
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    });
    if (error !== undefined) return 'hangs';
    return status === 0 ? 'passed' : 'failed';
  }

  /** Makes a file wrong as long as `work` takes. */
  with<T>({ file, start, end, replacement }: Mutant, work: () => T): T {
    const path = join(this.directory, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
    try {
      return work();
    } finally {
      writeFileSync(path, text);
    }
  }

  close(): void {
    // The link goes before what it points to could.
    rmSync(join(this.directory, 'node_modules'), { force: true });
    if (dirname(this.directory) === realpathSync(tmpdir()))
      rmSync(this.directory, { recursive: true, force: true });
  }
}
