import type { Command } from 'commander';
import { parseByteSize } from '../../../model/byte-size.ts';
import type { RepositoryRow } from '../../../storage/objects/directory.ts';
import { clientBaseUrl } from '../../../daemon/objects/client-base-url.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { note, print, printJson, terminalWidth } from '../../terminal/output.ts';
import { layOut, tableLine, titleLine, type Column } from '../../terminal/table.ts';
import { counted, megabytes } from '../../terminal/wording.ts';
import { objectsContext } from './objects-context.ts';
import {
  requireRepository,
  splitRepository,
  withRoot,
  withRootOptions,
  type RootOptions,
} from './with-root.ts';

interface AddOptions extends RootOptions {
  readonly public?: boolean;
}

interface SetOptions extends RootOptions {
  readonly quota?: string;
  readonly maxObject?: string;
  readonly public?: string;
}

const columns: readonly Column[] = [
  { title: 'REPOSITORY' },
  { title: 'OBJECTS', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'QUOTA', align: 'right' },
  { title: 'PUBLIC' },
];

/** `waypointd objects repo add|list|set|rm` */
export function registerRepo(objects: Command): void {
  const repo = objects
    .command('repo')
    .summary('repositories, each with its own objects')
    .description(
      'Repositories of the object server: each holds its own objects and has its own members.',
    );
  registerAdd(repo);
  registerList(repo);
  registerSet(repo);
  registerRemove(repo);
}

function registerAdd(repo: Command): void {
  withRootOptions(repo.command('add <owner/name>'))
    .description('Makes a repository and prints the line that its members need.')
    .option('--public', 'anybody may read it')
    .action(async (path: string, options: AddOptions, command: Command) => {
      const { owner, name } = splitRepository(path);
      const isPublic = options.public === true;
      await withRoot(
        command,
        options,
        async ({ directory }) => {
          if (!(await directory.addRepository(owner, name, isPublic, Date.now()))) {
            throw new ExitError(`There is a repository ${path}.`);
          }
        },
        true,
      );
      const url = publicUrl(command, `${owner}/${name}`);
      if (options.json === true) {
        return printJson({ repository: `${owner}/${name}`, public: isPublic, url });
      }
      await print(`Made ${owner}/${name}. For git-lfs its members put this into .lfsconfig:`);
      await print(`\n[lfs]\n\turl = ${url}`);
      note(
        '\nLet somebody in with: objects user add NAME, then objects grant NAME OWNER/NAME write',
      );
    });
}

/** Where clients find a repository, as far as the settings tell. */
function publicUrl(command: Command, path: string): string {
  return `${clientBaseUrl(objectsContext(command, {}).settings)}/${path}`;
}

function registerList(repo: Command): void {
  withRootOptions(repo.command('list'))
    .description('Lists the repositories with what they hold.')
    .action(async (options: RootOptions, command: Command) => {
      const rows = await withRoot(command, options, async ({ directory }) =>
        directory.repositories(),
      );
      if (options.json === true) return printJson(rows.map(asJson));
      if (rows.length === 0)
        return note('There are no repositories yet: objects repo add OWNER/NAME');
      const lines = rows.map((row) => [
        `${row.owner}/${row.name}`,
        String(row.objects),
        megabytes(row.bytes),
        row.quota_bytes === null ? '' : megabytes(row.quota_bytes),
        row.is_public === 1 ? 'yes' : '',
      ]);
      const layout = layOut(columns, lines, terminalWidth());
      await print(titleLine(layout));
      for (const line of lines) await print(tableLine(layout, line));
    });
}

function asJson(row: RepositoryRow): object {
  return {
    repository: `${row.owner}/${row.name}`,
    public: row.is_public === 1,
    objects: row.objects,
    bytes: row.bytes,
    quota_bytes: row.quota_bytes,
    max_object_bytes: row.max_object_bytes,
  };
}

function registerSet(repo: Command): void {
  withRootOptions(repo.command('set <owner/name>'))
    .description('Changes the limits of a repository.')
    .option('--quota <size>', 'sum of its objects, such as 20G; none takes the limit away')
    .option('--max-object <size>', 'largest object, such as 5G; none takes the limit away')
    .option('--public <yes|no>', 'whether anybody may read it')
    .action(async (path: string, options: SetOptions, command: Command) => {
      const change = {
        ...(options.quota === undefined ? {} : { quotaBytes: sizeOf('--quota', options.quota) }),
        ...(options.maxObject === undefined
          ? {}
          : { maxObjectBytes: sizeOf('--max-object', options.maxObject) }),
        ...(options.public === undefined ? {} : { isPublic: isYes(options.public) }),
      };
      if (Object.keys(change).length === 0)
        throw usageError('Say what to change: --quota, --max-object or --public.');
      const after = await withRoot(command, options, async (root) => {
        const { id } = await requireRepository(root, path);
        await root.directory.changeRepository(id, change);
        return requireRepository(root, path);
      });
      await (options.json === true ? printJson(asJson(after)) : print(`Changed ${path}.`));
    });
}

function sizeOf(flag: string, text: string): number | null {
  if (text === 'none') return null;
  const bytes = parseByteSize(text);
  if (bytes === undefined) throw usageError(`${flag} is a size such as 500M or 20G, or none.`);
  return bytes;
}

function isYes(text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw usageError('--public is yes or no.');
  return text === 'yes';
}

function registerRemove(repo: Command): void {
  withRootOptions(repo.command('rm <owner/name>'))
    .description('Removes a repository with all it holds. The bytes go with the next "objects gc".')
    .option('--yes', 'really do it')
    .action(async (path: string, options: RootOptions & { yes?: boolean }, command: Command) => {
      const removed = await withRoot(command, options, async (root) => {
        const repository = await requireRepository(root, path);
        if (options.yes !== true) {
          throw usageError(
            `${path} holds ${counted(repository.objects, 'object')} of ${megabytes(repository.bytes)}. Add --yes to remove it.`,
          );
        }
        const { removeRepository } = await import('../../../objects/upkeep/let-go.ts');
        await removeRepository(root, repository.id);
        return repository;
      });
      const json = { removed: path, objects: removed.objects, bytes: removed.bytes };
      await (options.json === true ? printJson(json) : print(`Removed ${path}.`));
    });
}
