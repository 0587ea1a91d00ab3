/**
 * `npm run roundtrip -- DIRECTORY`: imports a directory of GPX files, exports everything, imports that export into an empty
 * store and exports again; Python reads the files and both exports and says where they differ. Ends with 1 when they do.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ImportResult } from '../../model/import.ts';
import { scratchDirectory, siteIn, start, type Running } from '../faults/site.ts';

/** Imports a directory into an empty store and writes what it then exports to `file`. */
async function importAndExport(root: string, dir: string, file: string): Promise<ImportResult> {
  const daemon = await start(siteIn(root, { WAYPOINTD_OBJECTS: 'false' }));
  try {
    const text = await daemon.done('POST', '/api/import', { dir, recursive: true });
    await download(daemon, file);
    return JSON.parse(text) as ImportResult;
  } finally {
    await daemon.end();
  }
}

async function download({ url, token }: Running, file: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await fetch(`${url}/api/export`, { headers });
  if (status !== 200 || body === null) throw new Error(`the export: ${status}`);
  await pipeline(Readable.fromWeb(body), createWriteStream(file));
}

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error('usage: npm run roundtrip -- DIRECTORY');
const source = resolve(given);
const scratch = scratchDirectory();
const exported = join(scratch, 'exported');
mkdirSync(exported);
const first = join(exported, 'first.gpx');
const second = join(scratch, 'second.gpx');
const result = await importAndExport(join(scratch, 'one'), source, first);
await importAndExport(join(scratch, 'two'), exported, second);
const comparison = join(import.meta.dirname, 'compare.py');
const words = [comparison, source, JSON.stringify(result.failed_files), first, second];
const { status, error } = spawnSync('python3', words, { stdio: 'inherit' });
if (error !== undefined) throw error;
process.exit(status ?? 1);
