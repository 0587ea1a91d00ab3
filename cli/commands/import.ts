import { addAbortListener } from 'node:events';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sumResults, type ImportSum } from '../../client/waypoints/import-words.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { ExitError } from '../../model/exit-error.ts';
import { failureTable } from '../../model/failure.ts';
import type { ImportRequest, ImportResult, ImportStatus } from '../../model/import.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { endAsStopped } from '../terminal/interrupts.ts';
import { mayDo } from '../terminal/access.ts';
import { invocation, shellWord } from '../terminal/invocation.ts';
import { note, printJson } from '../terminal/output.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { forTerminal } from '../terminal/text.ts';
import { inputFrom } from './import/standard-input.ts';
import { planImports } from './import/plan.ts';
import { printSummary } from './import/summary.ts';

export const command = defineCommand({
  name: 'import',
  summary: 'import recorder files and folders',
  description:
    'Imports the files of recorders and apps (GPX, FIT, Google, KML, OwnTracks, TCX, GeoJSON, CSV, NMEA, in zip or gzip, too), and all of them in folders. The files are copied and stay where they are; importing them again later is quick and takes in only what is new or changed.',
  arguments: '<path...>',
  options: {
    '-r, --recursive': 'also the sub-folders of folders',
    '--into <folder>': 'keep the copies in this sub-folder of the library',
    '--as <path>': 'what standard input is called in the library; "-" imports it',
    '--dry-run': 'only show what would be imported',
    '--again': 'also files that were removed from the library',
    '--salvage': 'of cut-off and damaged files, import what is whole before the damage',
    '--json': 'print the result as JSON',
  },
  examples: [
    'import ~/tracks -r',
    'import ride.gpx walk.gpx',
    'import /media/watch/gpx --into watch',
    'import - --as phone/today.gpx < today.gpx',
  ],
  notes: `A new version of a file replaces the earlier one, which is kept for 30 days; a file of the same name
from another folder is kept beside it. Ctrl-C stops at once and keeps every finished file.
Exit code: 0 if at least one of the files is in the library now, else 1.`,
  async run({ context, words: [paths], options, isJson }) {
    if (paths.length === 1 && paths[0] === '-') return importInput(context, options, isJson);
    const flags = {
      ...(options.dryRun && { dry_run: true }),
      ...(options.again && { again: true }),
      ...(options.salvage && { salvage: true }),
    };
    const requests = planImports(paths, options).map((request) => ({ ...request, ...flags }));
    const { results, failure, stopped } = await withDaemon(
      { context, endsInOrder: true, makesData: true },
      (client, session) => importAll(client, requests, session.stopped),
    );
    const sum = sumResults(results);
    if (results.length > 0 || failure === undefined) {
      await (isJson ? printJson(sum) : printSummary(sum));
      const unseen = unseenFolder(sum);
      if (unseen !== undefined) note(unseenFolderLine(unseen));
    }
    if (failure !== undefined) throw failure;
    endWith(sum, stopped);
  },
});

/** Tells why an import ended early, and with the exit code whether there is anything of it. */
function endWith(sum: ImportSum, stopped: AbortSignal): void {
  if (stopped.aborted) {
    note(
      'Stopped before the end. Finished files are kept, and the same command goes on from there.',
    );
    endAsStopped(stopped);
  } else if (sum.cancelled === true) {
    note('Stopped from elsewhere before the end. Finished files are kept.');
    process.exitCode = 1;
  } else if (sum.files + sum.duplicates === 0) process.exitCode = 1;
}

async function importInput(
  context: CommandContext,
  { as: name, salvage }: { readonly as?: string | undefined; readonly salvage?: boolean },
  isJson: boolean,
): Promise<void> {
  const { path, body } = await inputFrom(process.stdin, name);
  const result = await withDaemon({ context, makesData: true }, (client) =>
    client.upload(path, body, salvage),
  );
  await (isJson ? printJson(result) : printSummary(sumResults([result])));
  if (result.files + result.duplicates === 0) process.exitCode = 1;
}

/**
 * One request after the other, until they are stopped or one fails.
 * @returns what was done before.
 */
async function importAll(
  client: DaemonClient,
  requests: readonly ImportRequest[],
  stopped: AbortSignal,
) {
  const results: ImportResult[] = [];
  // The answer to the running request then tells what was done.
  addAbortListener(stopped, () => {
    // That no import runs (any more) is all that can be wrong here.
    client.cancelImport().catch(() => undefined);
  });
  for (const request of requests) {
    if (stopped.aborted) break;
    const hideProgress = showProgress(client);
    try {
      results.push(await client.importGpxDirectory(request));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { results, failure: await explain(error, client, request), stopped };
    } finally {
      await hideProgress();
    }
  }
  return { results, stopped };
}

async function explain(error: Error, client: DaemonClient, { dir }: ImportRequest): Promise<Error> {
  if (!(error instanceof RequestFailure)) return error;
  if (error.status === 409) {
    const { files_done, files_total } = await client.getImportStatus();
    return new ExitError(
      `Another import is running (${files_done} of ${files_total} files done). Try again when "${invocation()} status" says that it is over.`,
    );
  }
  const isUnseen = error.sentence === failureTable.import_directory.message;
  return isUnseen ? new ExitError(unseenFolderLine(dir)) : error;
}

/** The folder of files that this command may read and the daemon may not; undefined where that is not what went wrong. */
function unseenFolder({ files, duplicates, failures }: ImportSum): string | undefined {
  const [first] = failures;
  if (first === undefined || files + duplicates > 0) return undefined;
  if (failures.some(({ reason }) => reason !== 'unreadable')) return undefined;
  return mayDo('read', first.file) ? dirname(first.file) : undefined;
}

/** Says how to import a folder that the daemon, as a service, may not read. */
function unseenFolderLine(folder: string): string {
  const shown = forTerminal(folder);
  if (!mayDo('read', folder)) return `You may not read ${shown}.`;
  const program = invocation();
  return `The daemon cannot open ${shown}, but this command can: a service may see less than you do. Move the files to another folder, or import them without the service: ${program} service stop; ${program} import ${shellWord(shown)}; ${program} service start`;
}

const pollMs = 200;
const format =
  'Importing [{bar}] {percentage}% | {files} files | {points} points | {eta_formatted}';

/**
 * Shows a progress bar on standard error while an import runs, if that is a terminal.
 * @returns stops and removes the bar.
 */
function showProgress(client: DaemonClient): () => Promise<void> {
  if (!process.stderr.isTTY) return () => Promise.resolve();
  const stopped = new AbortController();
  const shown = poll(client, stopped.signal);
  return async () => {
    stopped.abort();
    // The bar only tells of the import, and the import's own answer tells whether it went well.
    await shown.catch(() => undefined);
  };
}

async function poll(client: DaemonClient, stopped: AbortSignal): Promise<void> {
  const bar = await progressBar(format);
  try {
    while (!stopped.aborted) {
      const status = await client.getImportStatus();
      if (status.state === 'running' && status.files_total > 0) {
        bar.show(...doneOf(status), {
          files: `${shown(status.files_done)}/${shown(status.files_total)}`,
          points: shown(status.observations),
        });
      }
      await delay(pollMs, undefined, { signal: stopped });
    }
  } finally {
    bar.hide();
  }
}

/** How much is done, of how much. Bytes tell more than files: one long recording may be most of the work. */
function doneOf(status: ImportStatus): [done: number, total: number] {
  const { bytes_done, bytes_total, files_done, files_total } = status;
  return bytes_total > 0 ? [bytes_done, bytes_total] : [files_done, files_total];
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
