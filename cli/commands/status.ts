import { bookmarksFileRemedy } from '../../model/bookmarks-file.ts';
import type { GeodataStatus } from '../../model/geodata.ts';
import type { ImportStatus } from '../../model/import.ts';
import type { DaemonStatus } from '../../model/status.ts';
import { findDaemon, noteOtherPort, type RunningDaemon, whyNone } from '../program/connection.ts';
import { defineCommand } from '../program/command.ts';
import { invocation } from '../terminal/invocation.ts';
import { note } from '../terminal/output.ts';
import { labelledLines } from '../terminal/table.ts';
import { counted, dateOf, duration, megabytes } from '../terminal/text.ts';

export const command = defineCommand({
  name: 'status',
  summary: 'show whether a daemon is running, and what it holds',
  description:
    'Shows whether a daemon is running, what it holds and what it works on. The exit code is 1 when none is running.',
  async run({ context }): Promise<Status | { running: false; service: Service }> {
    const [daemon, service] = await Promise.all([findDaemon(context), readService()]);
    if (daemon === undefined) return { running: false, service };
    noteOtherPort(context, daemon);
    return { ...(await readStatus(daemon)), service };
  },
  isFailure: ({ running }) => !running,
  async *show(status, { context }) {
    if (status.running) return yield* statusLines(status);
    note(await whyNone(context));
    if (status.service !== null) note(`It is installed as ${serviceLine(status.service)}.`);
  },
});

type Service = Awaited<ReturnType<typeof readService>>;

async function readService() {
  const { findLocalService } = await import('../program/local-service.ts');
  const found = await findLocalService();
  if (found === undefined) return null;
  const { platform, state, isReached } = found;
  return {
    title: platform.title,
    state: isReached ? state.condition : 'unknown',
    starts_by_itself: state.isEnabled,
  };
}

async function readStatus({ client, handOver, version }: RunningDaemon) {
  const [daemon, run, geodata] = await Promise.all([
    client.getStatus(),
    client.getImportStatus(),
    client.getGeodataStatus(),
  ]);
  return {
    running: true as const,
    url: handOver.url,
    pid: handOver.pid,
    version: version.module.version,
    started: handOver.started,
    ...(handOver.data_dir === undefined ? {} : { data_dir: handOver.data_dir }),
    ...daemon,
    import: run,
    geodata: geodataSummary(geodata),
  };
}

function geodataSummary({ current, install }: GeodataStatus) {
  const { generation_id, dataset_version, valid, degraded } = current;
  return { generation_id, dataset_version, valid, degraded, install };
}

type Status = Awaited<ReturnType<typeof readStatus>> & { readonly service: Service };

function* statusLines(status: Status): Generator<string> {
  const { url, pid, version, uptime_seconds: age } = status;
  yield `waypointd ${version} is running on ${url} (process ${pid}, for ${duration(age * 1000)})`;
  const rows = [
    ['data', status.data_dir],
    ['holds', holdings(status)],
    ['imported', importedLine(status.imported)],
    ['bookmarks', bookmarksFileLine(status.bookmarks_file)],
    ['import', importLine(status.import)],
    ['watch', watchLine(status.watch)],
    ['timelines', timelinesLine(status.timelines)],
    ['geodata', geodataLine(status.geodata)],
    ['service', status.service === null ? 'not installed' : serviceLine(status.service)],
  ] as const;
  yield* labelledLines(rows, 10);
}

function holdings({ library, waypoints, bookmarks }: Status): string {
  const { state, files_done, files_total } = library;
  if (state === 'reading') {
    return `${counted(bookmarks, 'bookmark')}; the library is being read, ${files_done} of ${counted(files_total, 'file')} done, and lists wait for it`;
  }
  const some = bookmarks === 1 ? '1 is a bookmark' : `${bookmarks} are bookmarks`;
  const missing = state === 'incomplete' ? '; some files of the library could not be read' : '';
  return `${counted(waypoints ?? 0, 'waypoint')}, of which ${some}${missing}`;
}

function bookmarksFileLine(file: DaemonStatus['bookmarks_file']): string | undefined {
  if (file?.deletions_waiting !== undefined) {
    const count = counted(file.deletions_waiting, 'bookmark');
    return `the edited file deletes ${count}: ${invocation()} bookmarks merge --accept, or --discard`;
  }
  if (file?.problem !== undefined) return `${file.problem}. ${bookmarksFileRemedy}`;
  if (file?.last_merge === undefined) return undefined;
  const { at, added, changed, deleted, copy } = file.last_merge;
  return `an edit of ${at.slice(0, 16)}Z was merged: ${added} added, ${changed} changed, ${deleted} deleted; the edited file is backups/${copy}`;
}

function importedLine(imported: DaemonStatus['imported']): string | undefined {
  if (imported === undefined) return undefined;
  const { files, tracks, routes, observations, first_time, last_time } = imported;
  const period =
    first_time === undefined || last_time === undefined
      ? ''
      : ` from ${dateOf(first_time)} to ${dateOf(last_time)}`;
  const parts = [
    counted(files, 'file'),
    counted(tracks, 'track'),
    ...(routes > 0 ? [counted(routes, 'route')] : []),
    counted(observations, 'timed point') + period,
  ];
  return parts.join(', ');
}

function importLine({ state, files_done, files_total, last }: ImportStatus): string {
  if (state === 'running') return `running, ${files_done} of ${counted(files_total, 'file')} done`;
  if (last === null) return 'none since the daemon started';
  return `last one finished ${last.finished_at} with ${counted(last.files, 'new file')}`;
}

function watchLine(folders: DaemonStatus['watch']): string | undefined {
  if (folders === undefined) return undefined;
  const sum = (key: 'imported' | 'waiting' | 'failed') =>
    folders.reduce((total, folder) => total + folder[key], 0);
  const absent = folders.filter(({ state }) => state === 'absent').length;
  const parts = [
    counted(folders.length, 'folder'),
    ...(absent > 0 ? [`${absent} not there`] : []),
    `${counted(sum('imported'), 'file')} imported`,
    ...(sum('waiting') > 0 ? [`${sum('waiting')} waiting`] : []),
    ...(folders.some(({ full }) => full === true) ? ['more files than are looked at'] : []),
    ...(sum('failed') > 0 ? [`${sum('failed')} refused ("${invocation()} watch list")`] : []),
  ];
  return parts.join(', ');
}

function timelinesLine({ queued, running }: DaemonStatus['timelines']): string {
  if (running === 0 && queued === 0) return 'no job';
  return `${counted(running, 'job')} running, ${queued} waiting`;
}

function geodataLine(geodata: Status['geodata']): string {
  const { generation_id, dataset_version, valid, degraded, install } = geodata;
  if (!valid) return 'none that can be used; "waypointd doctor" says why';
  const instead = degraded ? ', in place of another one that is damaged or missing' : '';
  const { state, generation_id: next = '', progress } = install;
  const coming =
    state === 'installing'
      ? `; ${next} is coming, ${megabytes(progress.bytes)} of ${megabytes(progress.total_bytes)}`
      : '';
  return `${generation_id} (version ${dataset_version})${instead}${coming}`;
}

function serviceLine({ title, state, starts_by_itself }: NonNullable<Service>): string {
  const start = starts_by_itself ? ', starts by itself' : '';
  return state === 'unknown'
    ? `${title}, which cannot be asked from here`
    : `${title}: ${state}${start}`;
}
