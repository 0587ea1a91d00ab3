import { legacyCommand } from '../program/command.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  geodataStatusSchema,
  type GenerationStatus,
  type GeodataStatus,
} from '../../model/geodata.ts';
import { geodataRemedy } from '../terminal/geodata-remedy.ts';
import { packageRoot } from '../../daemon/version-info.ts';
import { ExitError } from '../../model/exit-error.ts';
import { withDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { registerGeodataFetch } from './geodata-fetch.ts';
import { registerGeodataImport } from './geodata-import.ts';
import { installFailures } from './geodata-install.ts';
import { registerGeodataPublish } from './geodata-publish.ts';
import { note, print, printJson, terminalWidth, write } from '../terminal/output.ts';
import { forTerminal, layOut, tableLine, titleLine, type Column } from '../terminal/table.ts';
import { megabytes } from '../terminal/wording.ts';

interface JsonOption {
  readonly json?: boolean;
}

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'VERSION' },
  { title: 'SIZE', align: 'right' },
  { title: 'LICENCE', canShrink: true },
  { title: 'STATE' },
];

/** `waypointd geodata …` */
function registerGeodata(program: Command): void {
  const geodata = program
    .command('geodata')
    .summary('show or change the data that names places')
    .description(
      'Countries, regions and towns for timelines and search, kept on this machine. waypointd comes\nwith one generation of it; others can be installed.',
    );

  geodata
    .command('status')
    .summary('tell which generation is in use')
    .description('Tells which generation is in use. The exit code is 1 when there is none.')
    .option('--json', 'print the answer as JSON')
    .action(async ({ json = false }: JsonOption, command: Command) => {
      const status = await readStatus(command);
      if (!status.current.valid) process.exitCode = 1;
      await (json ? printJson(status) : showStatus(status));
    });

  geodata
    .command('list')
    .summary('list the generations this waypointd knows')
    .description('Lists the generations that this waypointd knows.')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: JsonOption, command: Command) => {
      const status = await readStatus(command);
      if (json) return printJson(status.available);
      if (status.available.length === 0) return note(`There is no geodata. ${geodataRemedy()}`);
      const rows = status.available.map((generation) => rowOf(generation, status));
      const layout = layOut(columns, rows, terminalWidth());
      await print(titleLine(layout));
      for (const row of rows) await print(tableLine(layout, row));
    });

  registerGeodataFetch(geodata);
  registerGeodataImport(geodata);
  registerGeodataPublish(geodata);

  geodata
    .command('notice')
    .summary('print where the data is from, and its licences')
    .description('Prints where the data is from, and its licences.')
    .action(async () => {
      const notice = await readFile(join(packageRoot(), 'NOTICE'), 'utf8').catch(() => undefined);
      if (notice === undefined) throw new ExitError('The file NOTICE of waypointd is missing.');
      await write(notice);
    });
}

function readStatus(command: Command): Promise<GeodataStatus> {
  return withDaemon(commandContext(command), (client) =>
    client.ask(geodataStatusSchema, 'GET', '/api/geodata'),
  );
}

function rowOf(
  { id, dataset_version, bytes, license, installed, builtin }: GeodataStatus['available'][number],
  { current, previous }: GeodataStatus,
): string[] {
  const isInUse = current.generation_id === id;
  const isPrevious = previous.generation_id === id;
  const place = builtin ? 'comes with waypointd' : installed ? 'installed' : '';
  const use = isInUse ? 'in use' : isPrevious ? 'the one before' : '';
  const state = [use, place].filter((part) => part !== '').join(', ');
  return [id, dataset_version, megabytes(bytes), license, state];
}

async function showStatus({ current, previous, install }: GeodataStatus): Promise<void> {
  const lines: [string, string][] = [['in use', describe(current)]];
  if (current.valid) {
    lines.push(
      ['sources', current.source_version],
      ['by', current.attribution],
      ['licence', current.license],
      ['checked', current.verified_at ?? 'not yet since the start'],
    );
  }
  lines.push(['before', describe(previous)], ['install', installLine(install)]);
  for (const [label, text] of lines) await print(`${label.padEnd(10)} ${forTerminal(text)}`);
  if (!current.degraded) return;
  note('Another generation should be in use, but it is damaged or missing: install it again.');
}

function describe({ generation_id, dataset_version, bytes, builtin }: GenerationStatus): string {
  if (generation_id === '') return 'none';
  const from = builtin ? ', comes with waypointd' : '';
  return `${generation_id} (version ${dataset_version}, ${megabytes(bytes)}${from})`;
}

function installLine(install: GeodataStatus['install']): string {
  const { state, generation_id: id = '', phase, progress, error } = install;
  switch (state) {
    case 'idle':
      return 'none since the daemon started';
    case 'installing':
      return `${id}: ${phase ?? 'beginning'}, ${megabytes(progress.bytes)} of ${megabytes(progress.total_bytes)}`;
    case 'installed':
      return `${id}: done`;
    case 'cancelled':
      return `${id}: cancelled`;
    case 'failed':
      return `${id}: ${error === undefined ? 'failed' : installFailures[error]}`;
  }
}

export const command = legacyCommand('geodata', registerGeodata);
