import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { errorCode } from '../../model/error-code.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { importStates, type ImportedFile, type ImportsQuery } from '../../model/imports.ts';
import { defineCommand } from '../program/command.ts';
import { inWords, withDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { invocation } from '../terminal/invocation.ts';
import { notWritten } from '../terminal/access.ts';
import { note } from '../terminal/output.ts';
import { labelledLines, tableLines, type TableColumn } from '../terminal/table.ts';
import { counted, dateOf, forTerminal, megabytes } from '../terminal/text.ts';

const columns: readonly TableColumn<ImportedFile>[] = [
  { title: 'ID', align: 'right', text: ({ id }) => String(id) },
  { title: 'IMPORTED', text: ({ imported_at }) => dateOf(imported_at) },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'FORMAT', text: ({ format }) => format },
  { title: 'POINTS', align: 'right', text: pointsOf },
  { title: 'WAYPOINTS', align: 'right', text: ({ waypoints }) => shown(waypoints) },
  { title: 'PERIOD', text: periodOf },
  { title: 'FILE', canShrink: true, text: ({ path }) => path },
];

function pointsOf({ track_points, route_points }: ImportedFile): string {
  return shown(track_points + route_points);
}

function periodOf({ first_time, last_time }: ImportedFile): string {
  if (first_time === undefined || last_time === undefined) return '';
  const [first, last] = [dateOf(first_time), dateOf(last_time)];
  return first === last ? first : `${first} to ${last}`;
}

function shown(count: number): string {
  return count === 0 ? '' : count.toLocaleString('en-US');
}

const pageFiles = 1_000;

const list = defineCommand({
  name: 'list',
  summary: 'list the imported files, newest first',
  description:
    'Lists the imported files, newest first: all, or those with a piece of text in their path. Replaced files are kept for 30 days; removed ones are listed as long as later imports pass over them.',
  arguments: '[text]',
  options: {
    '--state <state>': { help: 'only these', choices: importStates },
    '-n, --limit <count>': { help: 'how many', default: '100' },
  },
  run({ context, words: [q], options: { state, limit } }) {
    if (!/^[1-9]\d{0,6}$/u.test(limit)) throw usageError('--limit is a whole number from 1.');
    const query = { q, state };
    return withDaemon({ context }, (client) => readFiles(client, query, Number(limit)));
  },
  async *show({ files, isMore }) {
    yield* tableLines(columns, files, 'No imported file matches.');
    if (isMore) note('There are more; -n sets how many are listed.');
  },
});

/** Reads pages until there are enough. */
async function readFiles(
  client: DaemonClient,
  query: Pick<ImportsQuery, 'q' | 'state'>,
  most: number,
) {
  const files: ImportedFile[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(pageFiles, most - files.length);
    const page = await client.getImports({ ...query, limit, cursor });
    files.push(...page.files);
    cursor = page.next_cursor;
  } while (cursor !== undefined && files.length < most);
  return { files, isMore: cursor !== undefined };
}

const show = defineCommand({
  name: 'show',
  summary: 'show all of one imported file',
  description: 'Shows all of one imported file. Its number is in "imports list".',
  arguments: '<id>',
  run: ({ context, words: [id] }) =>
    withDaemon({ context }, (client) => client.getImport(numberOf(id))),
  *show(file) {
    const rows = [
      ['file', file.path],
      ['state', file.state],
      ['imported', file.imported_at],
      ['format', `${file.format}, ${megabytes(file.bytes)}`],
      ['SHA-256', file.sha256],
      ['points', `${pointsOf(file) || '0'}, ${shown(file.observations) || '0'} of them timed`],
      ['waypoints', shown(file.waypoints) || '0'],
      ['left out', file.unusable_points === 0 ? undefined : counted(file.unusable_points, 'point')],
      [
        'damaged',
        file.broken_at === undefined
          ? undefined
          : `at byte ${file.broken_at.toLocaleString('en-US')}; what is before it was imported`,
      ],
      ['period', periodOf(file) || undefined],
      ['box', file.bbox?.join(', ')],
    ] as const;
    yield* labelledLines(rows, 10);
  },
});

const rm = defineCommand({
  name: 'rm',
  summary: 'take imported files out of the library',
  description:
    'Takes files out of the library: their points and waypoints go, and later imports pass over them. Their bytes are kept for 30 days.',
  arguments: '<id...>',
  options: { '--forever': 'delete the kept bytes now, too' },
  run: ({ context, words: [ids], options: { forever } }) =>
    changeEach(context, ids, (client, id) => client.removeImport(id, forever)),
  *show(files, { options: { forever } }) {
    for (const { path } of files) yield `Removed ${path}.`;
    if (forever) return;
    const ids = files.map(({ id }) => id).join(' ');
    note(
      `Within 30 days this brings back what was removed: ${invocation()} imports restore ${ids}`,
    );
  },
});

const restore = defineCommand({
  name: 'restore',
  summary: 'bring removed or replaced files back',
  description:
    'Brings removed or replaced files back into the library; what took the place of one is replaced by it.',
  arguments: '<id...>',
  run: ({ context, words: [ids] }) =>
    changeEach(context, ids, (client, id) => client.restoreImport(id)),
  *show(files) {
    for (const { path } of files) yield `${path} is in the library.`;
  },
});

const exportOriginal = defineCommand({
  name: 'export-original',
  summary: 'write the original bytes of an imported file',
  description:
    'Writes the original bytes of an imported file, under its own name in the current directory unless -o says otherwise. A file that is there is never written over.',
  arguments: '<id>',
  options: { '-o, --output <file>': 'write this file; "-" is standard output' },
  run: ({ context, words: [id], options: { output } }) =>
    withDaemon({ context }, async (client) => {
      const file = await client.getImport(numberOf(id));
      const pieces = client.pieces('GET', `/api/imports/${file.id}/content`);
      if (output === '-') {
        for await (const piece of pieces) process.stdout.write(piece);
        return;
      }
      const target = resolve(output ?? basename(file.path));
      await writeNew(target, pieces);
      note(`Wrote ${forTerminal(target)}.`);
    }),
});

async function writeNew(target: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await using handle = await open(target, 'wx').catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw notWritten(target, error);
    throw new ExitError(`${forTerminal(target)} is there already; -o names another file.`);
  });
  for await (const piece of pieces) await handle.write(piece);
}

/** @throws ExitError for what is no number of a file. */
function numberOf(id: string): number {
  if (/^[1-9]\d{0,14}$/u.test(id)) return Number(id);
  throw usageError('The number of an imported file is in "imports list".');
}

function changeEach(
  context: CommandContext,
  words: readonly string[],
  change: (client: DaemonClient, id: number) => Promise<ImportedFile>,
): Promise<ImportedFile[]> {
  const ids = words.map(numberOf);
  return withDaemon({ context, needsLibrary: true }, async (client) => {
    // All are looked at first: a wrong number among them changes nothing.
    for (const id of ids) {
      await client.getImport(id).catch((error: unknown) => {
        throw inWords(error, {
          404: `No imported file has the number ${id}. Nothing was changed.`,
        });
      });
    }
    const files: ImportedFile[] = [];
    for (const id of ids) files.push(await change(client, id));
    return files;
  });
}

export const command = defineCommand({
  name: 'imports',
  summary: 'list, remove and restore imported files',
  description: 'Lists the imported files, takes files out of the library and brings them back.',
  commands: [list, show, rm, restore, exportOriginal],
});
