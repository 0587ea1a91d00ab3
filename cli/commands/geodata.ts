import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../daemon/version-info.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { GenerationStatus, GeodataStatus, HostedGeneration } from '../../model/geodata.ts';
import type { ObjectBody } from '../../model/objects.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { geodataRemedy } from '../terminal/invocation.ts';
import { note, printJson, write } from '../terminal/output.ts';
import { withTransferBar } from '../terminal/progress-bar.ts';
import { labelledLines, tableLines, type TableColumn } from '../terminal/table.ts';
import { forTerminal, megabytes } from '../terminal/text.ts';
import { cancel, importFile, install, installFailures } from './geodata/install.ts';
import { remoteNotes, remoteOptions, withClient } from './objects/transfer.ts';

type Available = GeodataStatus['available'][number];

const status = defineCommand({
  name: 'status',
  summary: 'show which generation is in use',
  description: 'Shows which generation is in use. The exit code is 1 when there is none.',
  run: ({ context }) => readStatus(context),
  isFailure: ({ current }) => !current.valid,
  show: statusLines,
});

const list = defineCommand({
  name: 'list',
  summary: 'list the generations this waypointd knows',
  run: ({ context }) => readStatus(context),
  json: ({ available }) => available,
  show: (answer) =>
    tableLines(columnsOf(answer), answer.available, `There is no geodata. ${geodataRemedy()}`),
});

const notice = defineCommand({
  name: 'notice',
  summary: 'print where the data is from, and its licences',
  async run() {
    const text = await readFile(join(packageRoot(), 'NOTICE'), 'utf8').catch(() => undefined);
    if (text === undefined) throw new ExitError('The file NOTICE of waypointd is missing.');
    await write(text);
  },
});

const publish = defineCommand({
  name: 'publish',
  summary: 'for maintainers: send a generation to a repository',
  description:
    'For maintainers: sends a generation that was built to a repository of an object server, unless it is there, and prints its entry in the manifest.',
  arguments: '<file>',
  options: remoteOptions,
  notes: remoteNotes,
  async run({ words: [file], options }) {
    const path = resolve(file);
    const { identifyFile } = await import('../../client/objects/index.ts');
    const entry = await withClient(options, async (client, signal) => {
      const object = await identifyFile(path, signal);
      const described = await manifestEntry(path, object, options.repo);
      const title = forTerminal(described.id);
      const { isSent } = await withTransferBar(title, object.size, (onProgress) =>
        client.upload(path, object, { signal, onProgress }),
      );
      if (!isSent) note('It was there already.');
      return described;
    });
    await printJson(entry);
  },
});

async function manifestEntry(
  path: string,
  object: ObjectBody,
  endpoint: string,
): Promise<HostedGeneration> {
  const [{ describeGeneration }, { UnusableGeneration }] = await Promise.all([
    import('../../geodata/build/describe-generation.ts'),
    import('../../geodata/generation.ts'),
  ]);
  try {
    const listed = describeGeneration(path, object, endpoint);
    if (listed !== undefined) return listed;
  } catch (error) {
    if (!(error instanceof UnusableGeneration)) throw error;
    throw new ExitError('The file is no generation of geodata, or is damaged.', 1, error);
  }
  throw new ExitError(
    'This generation could not stand in a manifest: its id or its texts are not allowed there, or the repository is\nneither https nor on this machine.',
  );
}

export const command = defineCommand({
  name: 'geodata',
  summary: 'show or change the data that names places',
  description:
    'Countries, regions and towns for timelines and search, kept on this machine. waypointd comes with one generation of it; others can be installed.',
  commands: [status, list, install, cancel, importFile, publish, notice],
});

function readStatus(context: CommandContext): Promise<GeodataStatus> {
  return withDaemon({ context }, (client) => client.getGeodataStatus());
}

function columnsOf(answer: GeodataStatus): TableColumn<Available>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'VERSION', text: ({ dataset_version }) => dataset_version },
    { title: 'SIZE', align: 'right', text: ({ bytes }) => megabytes(bytes) },
    { title: 'LICENCE', canShrink: true, text: ({ license }) => license },
    { title: 'STATE', text: (generation) => stateOf(generation, answer) },
  ];
}

function stateOf(
  { id, installed, builtin }: Available,
  { current, previous }: GeodataStatus,
): string {
  const isInUse = current.generation_id === id;
  const isPrevious = previous.generation_id === id;
  const place = builtin ? 'comes with waypointd' : installed ? 'installed' : '';
  const use = isInUse ? 'in use' : isPrevious ? 'the one before' : '';
  return [use, place].filter((part) => part !== '').join(', ');
}

function* statusLines({ current, previous, install }: GeodataStatus): Generator<string> {
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
  yield* labelledLines(lines, 10);
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
  const done = `${megabytes(progress.bytes)} of ${megabytes(progress.total_bytes)}`;
  const lines: Readonly<Record<typeof state, string>> = {
    idle: 'none since the daemon started',
    installing: `${id}: ${phase ?? 'beginning'}, ${done}`,
    installed: `${id}: done`,
    cancelled: `${id}: cancelled`,
    failed: `${id}: ${error === undefined ? 'failed' : installFailures[error]}`,
  };
  return lines[state];
}
