import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** What changes whenever a file does. */
export function stampOf({ size, mtimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ino}`;
}

/** What tells a directory from another one at its place; undefined where none is that can be opened. */
export async function identity(dir: string): Promise<string | undefined> {
  try {
    const stats = await stat(dir);
    return stats.isDirectory() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
