import { constants } from 'node:fs';
import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { findByObject } from '../../geodata/manifest.ts';
import { errorCode } from '../../model/error-code.ts';
import { isDiskFull } from '../../model/failure.ts';
import {
  geodataStatusSchema,
  type GeodataManifest,
  type HostedGeneration,
} from '../../model/geodata.ts';
import { temporaryBeside } from '../../storage/atomic-file.ts';
import { hashFile } from '../../storage/hash-file.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { computePaths } from '../../daemon/paths.ts';
import { ExitError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { InstallRun } from './geodata-install.ts';
import { readManifest } from '../program/geodata-manifest.ts';

/** `waypointd geodata import` */
export function registerGeodataImport(geodata: Command): void {
  geodata
    .command('import <file>')
    .summary('install a generation from a file')
    .description(
      'Installs a generation from a file, for machines without a network. The file must be one of the\ngenerations that this waypointd knows; its name does not matter, and it stays where it is.',
    )
    .option('--json', 'print the status as JSON')
    .action(async (file: string, { json = false }: { json?: boolean }, command: Command) => {
      const context = commandContext(command);
      const generation = await recognize(file, await readManifest(context.geodataManifest));
      const run = new InstallRun();
      const done = await withDaemon(
        context,
        async (client, dataDirectory) => {
          const how = await importFile(run, client, generation, file, dataDirectory);
          return { how, status: await client.ask(geodataStatusSchema, 'GET', '/api/geodata') };
        },
        { onInterrupt: (client, signal) => run.stop(client, signal), makesData: true },
      );
      await run.tell(generation.id, done.how, done.status, json);
    });
}

/**
 * Finds out which generation a file is. By its content alone: a file that is not exactly one of them is none.
 * @throws ExitError when it is none, or cannot be read.
 */
async function recognize(file: string, manifest: GeodataManifest): Promise<HostedGeneration> {
  try {
    const { size } = await stat(file);
    const isPossible = manifest.generations.some(({ artifacts }) => artifacts[0].size === size);
    const found = isPossible ? findByObject(manifest, await hashFile(file)) : undefined;
    if (found !== undefined) return found;
  } catch (error) {
    throw new ExitError(`The file cannot be read (${errorCode(error) ?? 'unknown'}).`, 1, error);
  }
  throw new ExitError('The file is none of the generations that this waypointd knows.');
}

/** Puts the file where the daemon looks for it: its API takes no path, from nobody. */
async function importFile(
  run: InstallRun,
  client: ApiClient,
  { id, artifacts: [{ oid }] }: HostedGeneration,
  file: string,
  dataDirectory: string,
): Promise<'installed' | 'already' | undefined> {
  // Only now: help loads no SQLite.
  const { partialPath } = await import('../../geodata/install/generation-files.ts');
  const path = partialPath(computePaths({ data_dir: dataDirectory }).geodata, oid);
  const { current, install } = await client.ask(geodataStatusSchema, 'GET', '/api/geodata');
  // It may be writing to the very file.
  if (install.state === 'installing') {
    throw new ExitError('Another install is running; try again when it is over.');
  }
  const isInUse = current.generation_id === id && !current.degraded;
  if (!isInUse) await place(file, path);
  try {
    return await run.install(client, id);
  } finally {
    // It has moved on, unless it was not needed or not wanted.
    await rm(path, { force: true });
  }
}

async function place(file: string, path: string): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    createPrivateDirectory(dirname(path));
    await copyFile(file, temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    if (isDiskFull(error)) throw new ExitError('The disk is full.', 1, error);
    const code = errorCode(error) ?? 'unknown';
    throw new ExitError(`The file cannot be copied into the data directory (${code}).`, 1, error);
  }
}
