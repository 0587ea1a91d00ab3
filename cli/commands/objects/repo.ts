import { formatByteSize, parseByteSize } from '../../../model/byte-size.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import type { RepositoryRow } from '../../../storage/objects/directory.ts';
import { clientBaseUrl } from '../../../daemon/objects/store-places.ts';
import { defineCommand } from '../../program/command.ts';
import { note, print } from '../../terminal/output.ts';
import { tableLines } from '../../terminal/table.ts';
import { counted, megabytes } from '../../terminal/text.ts';
import {
  objectsContext,
  requireRepository,
  rootOptions,
  splitRepository,
  withRoot,
} from './with-root.ts';

const add = defineCommand({
  name: 'add',
  description: 'Makes a repository and prints the line that its members need.',
  arguments: '<owner/name>',
  options: { ...rootOptions, '--public': 'anybody may read it' },
  async run(call) {
    const [path] = call.words;
    const { owner, name } = splitRepository(path);
    await withRoot({ ...call, mayCreate: true }, async ({ directory }) => {
      if (!(await directory.addRepository(owner, name, call.options.public, Date.now()))) {
        throw new ExitError(`There is a repository ${path}.`);
      }
    });
    // Where clients find it, as far as the settings tell.
    const { settings, paths } = objectsContext(call.context, { root: call.options.root });
    const url = `${await clientBaseUrl(settings, paths.objects)}/${path}`;
    return { repository: path, public: call.options.public, url };
  },
  async *show({ repository, url }) {
    yield `Made ${repository}. For git-lfs its members put this into .lfsconfig:`;
    await print(`\n[lfs]\n\turl = ${url}`);
    note('\nGrant access with: objects user add NAME, then objects grant NAME OWNER/NAME write');
  },
});

const list = defineCommand({
  name: 'list',
  description: 'Lists the repositories with what they hold.',
  options: rootOptions,
  run: (call) =>
    withRoot(call, async ({ directory }) => (await directory.repositories()).map(asShown)),
  show: (repositories) =>
    tableLines(
      [
        { title: 'REPOSITORY', text: ({ repository }) => repository },
        { title: 'OBJECTS', align: 'right', text: ({ objects }) => String(objects) },
        { title: 'SIZE', align: 'right', text: ({ bytes }) => megabytes(bytes) },
        {
          title: 'QUOTA',
          align: 'right',
          text: ({ quota_bytes: quota }) => (quota === null ? '' : formatByteSize(quota)),
        },
        { title: 'PUBLIC', text: (row) => (row.public ? 'yes' : '') },
      ],
      repositories,
      'There are no repositories yet: objects repo add OWNER/NAME',
    ),
});

function asShown(row: RepositoryRow) {
  return {
    repository: `${row.owner}/${row.name}`,
    public: row.is_public === 1,
    objects: row.objects,
    bytes: row.bytes,
    quota_bytes: row.quota_bytes,
    max_object_bytes: row.max_object_bytes,
  };
}

const set = defineCommand({
  name: 'set',
  description: 'Changes the limits of a repository.',
  arguments: '<owner/name>',
  options: {
    ...rootOptions,
    '--quota <size>': 'sum of its objects, such as 20G; none takes the limit away',
    '--max-object <size>': 'largest object, such as 5G; none takes the limit away',
    '--public <yes|no>': 'whether anybody may read it',
  },
  async run(call) {
    const { quota, maxObject, public: isPublic } = call.options;
    const change = {
      ...(quota !== undefined && { quotaBytes: sizeOf('--quota', quota) }),
      ...(maxObject !== undefined && { maxObjectBytes: sizeOf('--max-object', maxObject) }),
      ...(isPublic !== undefined && { isPublic: isYes(isPublic) }),
    };
    if (Object.keys(change).length === 0) {
      throw usageError('Say what to change: --quota, --max-object or --public.');
    }
    return withRoot(call, async (root) => {
      const { id } = await requireRepository(root, call.words[0]);
      await root.directory.changeRepository(id, change);
      return asShown(await requireRepository(root, call.words[0]));
    });
  },
  show: (_, { words: [path] }) => `Changed ${path}.`,
});

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

const remove = defineCommand({
  name: 'rm',
  description: 'Removes a repository with all it holds. The bytes go with the next "objects gc".',
  arguments: '<owner/name>',
  options: { ...rootOptions, '--yes': 'really do it' },
  run: (call) =>
    withRoot(call, async (root) => {
      const [path] = call.words;
      const { id, objects, bytes } = await requireRepository(root, path);
      if (!call.options.yes) {
        throw usageError(
          `${path} holds ${counted(objects, 'object')} of ${megabytes(bytes)}. Add --yes to remove it.`,
        );
      }
      const { removeRepository } = await import('../../../objects/upkeep/let-go.ts');
      await removeRepository(root, id);
      return { removed: path, objects, bytes };
    }),
  show: ({ removed }) => `Removed ${removed}.`,
});

export const repo = defineCommand({
  name: 'repo',
  summary: 'repositories, each with its own objects',
  description:
    'Repositories of the object server: each holds its own objects and has its own members.',
  commands: [add, list, set, remove],
});
