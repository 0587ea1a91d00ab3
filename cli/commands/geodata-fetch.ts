import type { Command } from 'commander';
import {
  geodataStatusSchema,
  installCancelSchema,
  type InstallStatus,
} from '../../model/geodata.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { ExitError } from '../../model/exit-error.ts';
import { requireDaemon, withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { InstallRun, untilOver } from './geodata-install.ts';
import { readManifest } from '../program/geodata-manifest.ts';
import { showTransfer } from '../terminal/transfer-bar.ts';
import { print } from '../terminal/output.ts';
import { forTerminal } from '../terminal/table.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `waypointd geodata install|cancel` */
export function registerGeodataFetch(geodata: Command): void {
  geodata
    .command('install <id>')
    .summary('fetch a generation and put it to use')
    .description(
      'Fetches a generation of "geodata list", checks it and puts it to use; the one in use is kept\nbeside it. Goes on where an earlier try stopped. Without asking for it here, nothing is ever\nfetched.',
    )
    .option('--json', 'print the status as JSON')
    .action(async (id: string, { json = false }: JsonOption, command: Command) => {
      const context = commandContext(command);
      const { generations } = await readManifest(context.geodataManifest);
      const run = new InstallRun();
      const { how, status } = await withDaemon(
        context,
        async (client) => ({
          how: await install(run, client, id),
          status: await client.ask(geodataStatusSchema, 'GET', '/api/geodata'),
        }),
        {
          onInterrupt: (client, signal) => run.stop(client, signal),
          // A mistyped id is no reason for a data directory.
          makesData: generations.some((generation) => generation.id === id),
        },
      );
      await run.tell(forTerminal(id), how, status, json);
    });

  geodata
    .command('cancel')
    .summary('stop an install')
    .description('Stops the install that is going on. What came in is kept, to go on from.')
    .action(async (_: object, command: Command) => {
      const { client } = await requireDaemon(commandContext(command));
      await cancel(client);
      const { state, generation_id: id = '' } = await untilOver(client, () => undefined);
      if (state === 'installed') throw new ExitError(`It was too late: ${id} is in use now.`);
      await print(`The install of ${id} was stopped.`);
    });
}

async function install(
  run: InstallRun,
  client: ApiClient,
  id: string,
): Promise<'installed' | 'already' | undefined> {
  const { available } = await client.ask(geodataStatusSchema, 'GET', '/api/geodata');
  const size = available.find((generation) => generation.id === id)?.bytes ?? 0;
  const bar = await showTransfer(forTerminal(id), size);
  const watch = ({ phase, progress }: InstallStatus): void => {
    bar.show(progress.bytes, phase === 'downloading' ? 'Fetching' : 'Checking');
  };
  try {
    return await run.install(client, id, watch);
  } finally {
    bar.hide();
  }
}

async function cancel(client: ApiClient): Promise<void> {
  try {
    await client.ask(installCancelSchema, 'DELETE', '/api/geodata/install');
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.status !== 409) throw error;
    throw new ExitError('There is no install that could be stopped.');
  }
}
