import type { Command } from 'commander';
import { importStatusSchema, type ImportStatus } from '../../model/import.ts';
import { clustersSchema } from '../../model/search.ts';
import type { ApiClient } from '../api-client.ts';
import { findDaemon, whyNone, type RunningDaemon } from './connection.ts';
import { commandContext, type CommandContext } from './context.ts';
import { note, print, printJson } from './output.ts';
import { forTerminal } from './table.ts';
import { counted, duration } from './wording.ts';

/** `waypointd status` */
export function registerStatus(program: Command): void {
  program
    .command('status')
    .summary('tell whether a daemon is running, and what it holds')
    .description(
      'Tells whether a daemon is running, and what it holds. The exit code is 1 when none is running.',
    )
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }, command: Command) => {
      const context = commandContext(command);
      const daemon = await findDaemon(context);
      if (daemon === undefined) return showNone(context, options.json === true);
      const status = await readStatus(daemon);
      await (options.json === true ? printJson(status) : showStatus(status));
    });
}

async function showNone(context: CommandContext, isJson: boolean): Promise<void> {
  process.exitCode = 1;
  if (isJson) return printJson({ running: false });
  note(await whyNone(context));
}

async function readStatus({ client, handOver, version }: RunningDaemon) {
  const [waypoints, bookmarks, run] = await Promise.all([
    countWaypoints(client, false),
    countWaypoints(client, true),
    client.ask(importStatusSchema, 'GET', '/api/import'),
  ]);
  return {
    running: true,
    url: handOver.url,
    pid: handOver.pid,
    version: version.module.version,
    started: handOver.started,
    ...(handOver.data_dir === undefined ? {} : { data_dir: handOver.data_dir }),
    waypoints,
    bookmarks,
    import: run,
  };
}

type Status = Awaited<ReturnType<typeof readStatus>>;

/** Counts through the coarsest clusters, which are a handful of items however many waypoints there are. */
async function countWaypoints(client: ApiClient, bookmarksOnly: boolean): Promise<number> {
  const query = { zoom: 0, grid: 512, bookmarksOnly };
  const clusters = await client.ask(clustersSchema, 'GET', '/api/clusters', { query });
  return clusters.reduce((sum, item) => sum + (item.type === 'cluster' ? item.count : 1), 0);
}

async function showStatus(status: Status): Promise<void> {
  const age = duration(Date.now() - Date.parse(status.started));
  await print(
    `waypointd ${status.version} is running on ${status.url} (process ${status.pid}, for ${age})`,
  );
  if (status.data_dir !== undefined) await print(`data       ${forTerminal(status.data_dir)}`);
  const bookmarks =
    status.bookmarks === 1 ? '1 is a bookmark' : `${status.bookmarks} are bookmarks`;
  await print(`holds      ${counted(status.waypoints, 'waypoint')}, of which ${bookmarks}`);
  await print(`import     ${importLine(status.import)}`);
}

function importLine({ state, files_done, files_total, last }: ImportStatus): string {
  if (state === 'running') return `running, ${files_done} of ${counted(files_total, 'file')} done`;
  if (last === null) return 'none since the daemon started';
  return `last one finished ${last.finished_at} with ${counted(last.files, 'new file')}`;
}
