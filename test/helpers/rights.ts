import { spawnSync } from 'node:child_process';

/** Words that run a command without the rights with which root passes by every permission; undefined without such. */
export function withoutRights(): string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const words = ['setpriv', '--inh-caps=-all', '--bounding-set=-all'];
  const [program = '', ...flags] = words;
  return spawnSync(program, [...flags, 'true']).status === 0 ? words : undefined;
}
