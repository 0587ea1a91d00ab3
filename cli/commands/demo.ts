import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitError } from '../../model/exit-error.ts';
import { importResultSchema } from '../../model/import.ts';
import { clustersSchema, suggestSchema } from '../../model/search.ts';
import { settingDefaults } from '../../model/settings.ts';
import { waypointSchema, waypointTagsSchema, type Waypoint } from '../../model/waypoint.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { computePaths } from '../../daemon/paths.ts';
import { packageRoot } from '../../daemon/version-info.ts';
import { defineCommand } from '../program/command.ts';
import { startOwnDaemon } from '../program/connection.ts';
import { endBySignal, watchSignals } from '../terminal/interrupts.ts';
import { invocation } from '../terminal/invocation.ts';
import { print } from '../terminal/output.ts';
import { printTable, type TableColumn } from '../terminal/table.ts';
import { degrees } from '../terminal/text.ts';
import { printSummary, sumResults } from './import/summary.ts';
import { waypointColumns } from './list.ts';
import { footLines, headLines } from './timeline/wording.ts';
import { runTimeline } from './timeline/run.ts';
import { printLevel } from './timeline/tables.ts';
import { parseMoment, periodAround, showMoment } from './where.ts';

const bookmarks = [
  { name: 'Home', lat: 41.1579, lon: -8.6291, tags: ['home'] },
  { name: 'Best coffee', lat: 43.2569, lon: -2.9236, tags: ['coffee', '**'] },
];
/** What the journey's beaches are called on its way north. */
const beachName = /Praia|Playa|Plage|Strand\b|hondartza/u;
/** Enough to see what there is, few enough for one screen. */
const shownRows = 12;
const demoZoom = 4;
/** The year of the journey, and a moment of it. */
const demoYear = '2024';
const demoMoment = '2024-05-14T15:30Z';

/** `waypointd demo`, which `npm run demo` runs: a daemon in temporary directories that leaves nothing behind. */
export const command = defineCommand({
  name: 'demo',
  isHidden: true,
  description: 'Shows what waypointd does, in temporary directories that are removed afterwards.',
  async run() {
    const journey = join(packageRoot(), 'fixtures', 'journey');
    if (!existsSync(journey)) {
      throw new ExitError('The demo needs the journey in fixtures/, which only a clone has.');
    }
    const root = await mkdtemp(join(tmpdir(), 'waypointd-demo-'));
    const stopWatching = watchSignals((signal) => {
      void rm(root, { recursive: true, force: true }).finally(() => endBySignal(signal));
    });
    try {
      await runDemo(root, journey);
    } finally {
      await rm(root, { recursive: true, force: true });
      stopWatching();
    }
  },
});

async function runDemo(root: string, journey: string): Promise<void> {
  const settings = {
    ...settingDefaults,
    allowed_hosts: [],
    watch_dirs: [],
    log_level: 'error' as const,
    data_dir: join(root, 'data'),
    cache_dir: join(root, 'cache'),
    runtime_dir: join(root, 'runtime'),
  };
  const paths = computePaths(settings, { configFile: join(root, 'config.json') });
  const { client, url, close } = await startOwnDaemon({ settings, paths });
  try {
    await print(`A daemon is running on ${url}, in temporary directories.`);
    await show(client, journey);
  } finally {
    await close();
  }
  await print();
  await print(`That was all, and nothing of it is left. Your own: ${invocation()} serve`);
}

async function show(client: ApiClient, journey: string): Promise<void> {
  await title('import of fixtures/journey');
  const body = { dir: journey, recursive: true };
  const result = await client.ask(importResultSchema, 'POST', '/api/import', { body });
  await printSummary(sumResults([result]));
  for (const bookmark of bookmarks) {
    await client.ask(waypointSchema, 'POST', '/api/bookmarks', { body: bookmark });
  }
  await tagBeaches(client);
  await showWaypoints(client);
  await showClusters(client);
  await showSuggestions(client, 'tag:beach', 'a tag query');
  await showSuggestions(client, 'fini', 'suggestions while typing');
  await showSuggestions(client, 'goteborg', 'towns of the world');
  await showTimeline(client);
  await title(`where ${demoMoment}`);
  const timeMs = parseMoment(demoMoment);
  const timeline = await runTimeline(client, periodAround(timeMs));
  if (timeline !== undefined) await showMoment(timeline, timeMs);
}

async function tagBeaches(client: ApiClient): Promise<void> {
  for await (const { name, lat, lon } of client.elements(waypointSchema, '/api/waypoints')) {
    if (!beachName.test(name)) continue;
    const body = { name, lat, lon, tag: 'beach' };
    await client.ask(waypointTagsSchema, 'POST', '/api/tags', { body });
  }
}

async function showWaypoints(client: ApiClient): Promise<void> {
  await title('waypoints');
  const shown: Waypoint[] = [];
  let count = 0;
  const query = { emoji: true };
  for await (const waypoint of client.elements(waypointSchema, '/api/waypoints', { query })) {
    count += 1;
    if (count <= shownRows) shown.push(waypoint);
  }
  await printTable(waypointColumns, shown);
  if (count > shownRows) await print(`… and ${count - shownRows} more`);
}

const position: readonly TableColumn<{ readonly lat: number; readonly lon: number }>[] = [
  { title: 'LAT', align: 'right', text: ({ lat }) => degrees(lat) },
  { title: 'LON', align: 'right', text: ({ lon }) => degrees(lon) },
];

async function showClusters(client: ApiClient): Promise<void> {
  await title(`clusters at zoom ${demoZoom}`);
  const query = { zoom: demoZoom };
  const clusters = await client.ask(clustersSchema, 'GET', '/api/clusters', { query });
  await printTable(
    [
      {
        title: 'WHAT',
        text: (item) => (item.type === 'cluster' ? `${item.count} waypoints` : item.name),
      },
      ...position,
    ],
    clusters.slice(0, shownRows),
  );
}

async function showSuggestions(client: ApiClient, q: string, what: string): Promise<void> {
  await title(`${what}: ${q}`);
  const { suggestions } = await client.ask(suggestSchema, 'GET', '/api/suggest', { query: { q } });
  await printTable(
    [
      { title: 'NAME', canShrink: true, text: ({ name }) => name },
      ...position,
      { title: 'SOURCE', text: ({ source }) => source },
    ],
    suggestions,
  );
}

async function showTimeline(client: ApiClient): Promise<void> {
  await title(`timeline ${demoYear} --level country`);
  const period = { start_date: `${demoYear}-01-01`, end_date: `${demoYear}-12-31` };
  const result = await runTimeline(client, period);
  if (result === undefined) return;
  for (const line of headLines(result)) await print(line);
  await print();
  await printLevel(result, 'country');
  for (const line of footLines(result)) await print(line);
}

async function title(text: string): Promise<void> {
  await print();
  await print(`── ${text} ──`);
}
