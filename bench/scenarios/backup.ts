import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../report/figure.ts';
import { counted, scenario } from '../scenario.ts';
import { ServerProcess } from '../subjects/server-process.ts';

const small = '/api/version';
const probeEveryMs = 5;
/** Of one imported file. */
const fileBytes = 2_000_000;

interface Subject {
  readonly files: number;
  readonly fileBytes: number;
}

/** A backup made beside a running daemon: what it holds in memory, and whether requests wait for it. */
export const backup = scenario<Subject, readonly [daemon: ServerProcess, root: string]>({
  name: 'backup',
  title: 'a backup beside a running daemon',
  subjects: ({ isQuick }) => [
    isQuick ? { files: 2, fileBytes: 1_000_000 } : { files: 500, fileBytes },
    { files: isQuick ? 100 : 50_000, fileBytes: 500 },
  ],
  rounds: () => 1,
  label: ({ files, fileBytes: each }) =>
    `${(files * each) / 1e6} MB in ${counted(files, 'imported files')}`,
  prepare: async (session, { files, fileBytes: each }) => {
    const root = session.directory();
    await session.copyFilled(session.plan.sizes[0] ?? 0, root);
    const imports = join(root, 'data', 'imports');
    mkdirSync(imports, { recursive: true, mode: 0o700 });
    const content = Buffer.alloc(each, 'recorded ');
    // What is no recorder file is left alone by the daemon, and is in a backup like all of the directory.
    for (let file = 0; file < files; file += 1)
      writeFileSync(join(imports, `${file}.bin`), content);
    return [await session.daemon(root), root];
  },
  run: async (session, [daemon, root], { files, fileBytes: each }) => {
    const target = join(root, 'backup.tar');
    for (let i = 0; i < 50; i += 1) await daemon.get(small);
    const probe = session.probe(daemon, small, probeEveryMs);
    await probe.started();
    const peak = await ServerProcess.runCommand(root, ['backup', 'create', target]);
    const { p99Ms: p99 } = await probe.finish();
    const verified = await ServerProcess.runCommand(root, ['backup', 'verify', target]);
    if (statSync(target).size < files * each) throw new Error('the backup lacks something');
    rmSync(target);
    return { peak, verified, p99 };
  },
  figures: () => [
    { what: 'memory of the command, peak', unit: 'MB', of: 'peak', bar: atMost(100) },
    { what: 'memory of checking it, peak', unit: 'MB', of: 'verified', bar: atMost(100) },
    { what: 'small GET meanwhile, p99', unit: 'ms', of: 'p99', bar: atMost(25) },
  ],
});
