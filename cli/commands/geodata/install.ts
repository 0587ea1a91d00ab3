import { addAbortListener } from 'node:events';
import { constants as copyFlags } from 'node:fs';
import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { computePaths } from '../../../daemon/paths.ts';
import { partialPath } from '../../../geodata/manifest.ts';
import { errorCode } from '../../../model/error-code.ts';
import { ExitError } from '../../../model/exit-error.ts';
import { isDiskFull } from '../../../model/failure.ts';
import type {
  GeodataManifest,
  HostedGeneration,
  InstallErrorCode,
  InstallStatus,
} from '../../../model/geodata.ts';
import { temporaryBeside } from '../../../storage/atomic-file.ts';
import { hashFile } from '../../../storage/hash-file.ts';
import { createPrivateDirectory } from '../../../storage/private-directory.ts';
import { defineCommand } from '../../program/command.ts';
import { inWords, requireDaemon, withDaemon } from '../../program/connection.ts';
import type { CommandContext } from '../../program/context.ts';
import type { DaemonClient } from '../../program/daemon-client.ts';
import { readManifest } from '../../program/geodata-manifest.ts';
import { askUntil } from '../../program/polling.ts';
import { endAsStopped } from '../../terminal/interrupts.ts';
import { note } from '../../terminal/output.ts';
import { forTerminal } from '../../terminal/text.ts';
import { withTransferBar } from '../../terminal/progress-bar.ts';

/** Why an install failed, for a person. */
export const installFailures: Readonly<Record<InstallErrorCode, string>> = {
  offline: 'it is not on this machine, and could not be fetched',
  not_found: 'it could not be found',
  unauthorized: 'it may not be fetched',
  rate_limited: 'it may be fetched later only: too many have asked',
  mismatch: 'what is there is not what it should be',
  disk_full: 'the disk is full',
  unsupported_schema: 'it is of a format that this waypointd does not know',
  stalled: 'nothing more came',
  io: 'it could not be read or written',
};

export const install = defineCommand({
  name: 'install',
  summary: 'fetch a generation and put it to use',
  description:
    'Fetches a generation of "geodata list", checks it and puts it to use; the one in use is kept beside it. Goes on where an earlier try stopped. Without asking for it here, nothing is ever fetched.',
  arguments: '<id>',
  async run({ context, words: [id] }) {
    const { generations } = await readManifest(context.geodataManifest);
    // A mistyped id is no reason for a data directory.
    const makesData = generations.some((generation) => generation.id === id);
    return installWithDaemon(context, { id, makesData }, async (client, begin) => {
      const { available } = await client.getGeodataStatus();
      const size = available.find((generation) => generation.id === id)?.bytes ?? 0;
      return withTransferBar(forTerminal(id), size, (show) =>
        begin(({ phase, progress }) =>
          show(progress.bytes, phase === 'downloading' ? 'Fetching' : 'Checking'),
        ),
      );
    });
  },
  json: ({ status }) => status,
  show: endLine,
});

export const importFile = defineCommand({
  name: 'import',
  summary: 'install a generation from a file',
  description:
    'Installs a generation from a file, for machines without a network. The file must be one of the generations that this waypointd knows; its name does not matter, and it stays where it is.',
  arguments: '<file>',
  async run({ context, words: [file] }) {
    const generation = await recognize(file, await readManifest(context.geodataManifest));
    const { id } = generation;
    const { oid } = generation.artifacts[0];
    return installWithDaemon(context, { id, makesData: true }, async (client, begin, data) => {
      // The API takes no path: the file is put where the daemon looks for it.
      const path = partialPath(computePaths({ data_dir: data }).geodata, oid);
      const { current, install: running } = await client.getGeodataStatus();
      // It may be writing to the very file.
      if (running.state === 'installing') {
        throw new ExitError('Another install is running; try again when it is over.');
      }
      const isInUse = current.generation_id === id && !current.degraded;
      if (!isInUse) await place(file, path);
      try {
        return await begin();
      } finally {
        // It has moved on, unless it was not needed or the install has failed.
        await rm(path, { force: true });
      }
    });
  },
  json: ({ status }) => status,
  show: endLine,
});

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'stop an install',
  description: 'Stops the install that is going on. What came in is kept, to go on from.',
  async *run({ context }) {
    const { client } = await requireDaemon(context);
    await client.cancelGeodataInstall().catch((error: unknown) => {
      throw inWords(error, { 409: 'There is no install that could be stopped.' });
    });
    const { state, generation_id: id = '' } = await untilOver(client);
    if (state === 'installed') throw new ExitError(`It was too late: ${id} is in use now.`);
    yield `The install of ${id} was stopped.`;
  },
});

type Watch = (status: InstallStatus) => void;
type End = 'installed' | 'already' | 'stopped';

/** Begins the install and waits for its end, telling `watch` some times a second how far it is. */
type Begin = (watch?: Watch) => Promise<End>;

type Installed = NonNullable<Awaited<ReturnType<typeof installWithDaemon>>>;

/**
 * Runs an install that Ctrl-C cancels.
 * @returns undefined after Ctrl-C; prints that and sets the exit code.
 * @throws ExitError when the generation is not in use now.
 */
async function installWithDaemon(
  context: CommandContext,
  { id, makesData }: { readonly id: string; readonly makesData: boolean },
  use: (client: DaemonClient, begin: Begin, dataDirectory: string) => Promise<End>,
) {
  const { stopped, ...installed } = await withDaemon(
    { context, endsInOrder: true, makesData },
    async (client, session) => {
      const begin: Begin = (watch) => runInstall(client, id, session.stopped, watch);
      const end = await use(client, begin, session.dataDirectory);
      return { id, end, status: await client.getGeodataStatus(), stopped: session.stopped };
    },
  );
  if (installed.end !== 'stopped') return installed;
  note('Stopped. The generation in use is the one from before.');
  endAsStopped(stopped);
  return undefined;
}

async function runInstall(
  client: DaemonClient,
  id: string,
  stopped: AbortSignal,
  watch?: Watch,
): Promise<End> {
  const { status } = await client.installGeodata(id).catch((cause: unknown) => {
    throw inWords(cause, refusals);
  });
  if (status === 'installed') return 'already';
  // Wrong can only be that the install is over, or as good as.
  addAbortListener(stopped, () => void client.cancelGeodataInstall().catch(() => undefined));
  const { state, error } = await untilOver(client, watch);
  if (state === 'installed') return 'installed';
  if (stopped.aborted) return 'stopped';
  if (error === undefined) throw new ExitError('This install was cancelled from elsewhere.');
  throw new ExitError(`${forTerminal(id)} was not installed: ${installFailures[error]}.`);
}

const refusals: Readonly<Record<number, string>> = {
  404: 'The daemon knows no such generation. If it is of an older version, restart it.',
  409: 'Another generation is being installed. Try again when that is over.',
};

function untilOver(client: DaemonClient, watch?: Watch): Promise<InstallStatus> {
  return askUntil(
    async () => (await client.getGeodataStatus()).install,
    ({ state }) => state !== 'installing',
    watch,
  );
}

function endLine({ id, end }: Installed): string {
  return `${id} ${end === 'already' ? 'was in use already' : 'is in use now'}.`;
}

/**
 * Finds the generation that a file holds, by its hash.
 * @throws ExitError for an unknown or unreadable file.
 */
async function recognize(file: string, manifest: GeodataManifest): Promise<HostedGeneration> {
  try {
    const { size } = await stat(file);
    const alike = manifest.generations.filter(({ artifacts }) => artifacts[0].size === size);
    const oid = alike.length === 0 ? undefined : await hashFile(file);
    const found = alike.find(({ artifacts }) => artifacts[0].oid === oid);
    if (found !== undefined) return found;
  } catch (error) {
    throw new ExitError(`The file cannot be read (${errorCode(error) ?? 'unknown'}).`, 1, error);
  }
  throw new ExitError('The file is none of the generations that this waypointd knows.');
}

async function place(file: string, path: string): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    createPrivateDirectory(dirname(path));
    await copyFile(file, temporary, copyFlags.COPYFILE_FICLONE);
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    if (isDiskFull(error)) throw error;
    const code = errorCode(error) ?? 'unknown';
    throw new ExitError(`The file cannot be copied into the data directory (${code}).`, 1, error);
  }
}
