import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endedChildrenCpuMs } from '../measure/process-cost.ts';

/** Main content of a GPX file: the peer reads one kind at a time. */
export type GpxKind = 'track' | 'places';

/** The other program that reads GPX and writes something a user could go on with: GPX. */
export const peer = 'gpsbabel';

/** Its version; undefined where it is not installed. */
export const peerVersion = versionOf();

function versionOf(): string | undefined {
  const { status, stdout } = spawnSync(peer, ['-V'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n', 1)[0] : undefined;
}

/**
 * Has the peer read files; its output stays in `directory`. No other child of this process may end meanwhile, as CPU time is
 * counted for all of them.
 * @returns CPU time, ms; undefined where it cannot be measured.
 * @throws Error when it does not exit with 0.
 */
export async function peerCpuMs(
  files: readonly string[],
  directory: string,
  kind: GpxKind,
): Promise<number | undefined> {
  const input = ['-i', 'gpx', ...files.flatMap((file) => ['-f', file])];
  const output = ['-o', 'gpx', '-F', join(directory, 'out.gpx')];
  const words = [kind === 'track' ? '-t' : '-w', ...input, ...output];
  const before = endedChildrenCpuMs();
  const [code] = await once(spawn(peer, words, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${peer} ended with ${code}`);
  const after = endedChildrenCpuMs();
  return before === undefined || after === undefined ? undefined : after - before;
}
