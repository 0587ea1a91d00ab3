import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { peerVersion } from '../subjects/peer.ts';

/** Where and with what the figures were measured, one sentence a line. */
export function describeRun(plan: string): string[] {
  const [processor] = cpus();
  const memoryGb = Math.round(totalmem() / 1e9);
  return [
    `Plan: ${plan}`,
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Commit: ${commit()}`,
    `Machine: ${cpus().length} × ${processor?.model.trim() ?? 'unknown processor'}, ${memoryGb} GB, ${process.platform} ${release()} ${process.arch}`,
    `Node.js: ${process.version}`,
    `Peer: ${peerVersion ?? 'none installed'}`,
    `Load at the start (1, 5, 15 min): ${loadavg()
      .map((average) => average.toFixed(1))
      .join(', ')}`,
  ];
}

function commit(): string {
  try {
    const hash = git('rev-parse', '--short=12', 'HEAD');
    const changed = git('status', '--porcelain', '--untracked-files=no');
    return changed === '' ? hash : `${hash} and changes that were not committed`;
  } catch {
    return 'unknown (no git here)';
  }
}

function git(...words: string[]): string {
  const cwd = resolve(import.meta.dirname, '../..');
  return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}
