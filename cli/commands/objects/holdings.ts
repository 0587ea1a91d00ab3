import { createInterface } from 'node:readline';
import type { ObjectsRoot } from '../../../objects/root.ts';
import { usageError } from '../../../model/exit-error.ts';
import { pathOf } from '../../../storage/objects/directory.ts';
import { defineCommand } from '../../program/command.ts';
import { note } from '../../terminal/output.ts';
import { counted, megabytes } from '../../terminal/text.ts';
import { checkOid, requireRepository, rootOptions, withRoot } from './with-root.ts';

const dayMs = 86_400_000;
/** A list of so many oids has half a gigabyte. */
const mostOids = 8_000_000;

const stats = defineCommand({
  name: 'stats',
  group: 'Upkeep (a server may be running):',
  summary: 'show how much is stored, sent and received',
  description: 'Shows how much is stored, and how much was moved today and in the last 30 days.',
  options: rootOptions,
  run: (call) => withRoot(call, readStats),
  *show({ stored, quarantine, repositories }) {
    yield `${sumOf(stored)} stored, ${sumOf(quarantine)} in quarantine`;
    for (const { repository, today, month, unverified, reserved_bytes, ...held } of repositories) {
      yield `${repository}: ${sumOf(held)}; sent ${megabytes(today.sent)} today, ${megabytes(month.sent)} in 30 days; received ${megabytes(today.received)} and ${megabytes(month.received)}`;
      if (unverified.objects === 0 && reserved_bytes === 0) continue;
      yield `  sent and not verified: ${sumOf(unverified)}; announced: ${megabytes(reserved_bytes)}`;
    }
  },
});

interface Sum {
  objects: number;
  bytes: number;
}

function add(sum: Sum, size: number): void {
  sum.objects += 1;
  sum.bytes += size;
}

function sumOf({ objects, bytes }: Readonly<Sum>): string {
  return `${counted(objects, 'object')} of ${megabytes(bytes)}`;
}

async function readStats({ directory, holdings, ...root }: ObjectsRoot) {
  const contents = await root.contents();
  const rows = await directory.repositories();
  const stored = { objects: 0, bytes: 0 };
  const announced = await holdings.announcements();
  const paths = new Map(rows.map((row) => [row.id, pathOf(row)]));
  const unverified = new Map<string, Sum>(
    rows.map((row) => [pathOf(row), { objects: 0, bytes: 0 }]),
  );
  const keys = new Set(
    announced.map(({ repositoryId, oid }) => `${paths.get(repositoryId)} ${oid}`),
  );
  for await (const { size, oid, repository = '' } of contents.list()) {
    add(stored, size);
    if (keys.has(`${repository} ${oid}`)) add(unverified.get(repository)!, size);
  }
  const quarantined = await contents.listQuarantine();
  const today = Math.floor(Date.now() / dayMs);
  return {
    stored,
    quarantine: {
      objects: quarantined.length,
      bytes: quarantined.reduce((sum, { size }) => sum + size, 0),
    },
    free_bytes: await contents.freeBytes(),
    repositories: await Promise.all(
      rows.map(async ({ id, owner, name, objects, bytes }) => ({
        repository: `${owner}/${name}`,
        objects,
        bytes,
        unverified: unverified.get(`${owner}/${name}`)!,
        reserved_bytes: announced
          .filter((each) => each.repositoryId === id && each.is_given_up === 0)
          .reduce((sum, { size }) => sum + size, 0),
        today: await holdings.trafficSince(id, today),
        month: await holdings.trafficSince(id, today - 29),
      })),
    ),
  };
}

const prune = defineCommand({
  name: 'prune',
  summary: 'let a repository go of all but the listed objects',
  description:
    'Lets a repository go of all objects but those listed on standard input, one oid a line. Tells what it would do unless --yes is given. The bytes go with "objects gc".',
  arguments: '<owner/name>',
  options: {
    ...rootOptions,
    '--keep <file>': {
      help: 'the list of oids to keep: - for standard input',
      isRequired: true,
    },
    '--yes': 'really do it',
  },
  notes:
    'Example, in a clone with all branches:\n  git lfs ls-files --all --long | cut -d" " -f1 | waypointd objects prune club/maps --keep -',
  async run(call) {
    if (call.options.keep !== '-') throw usageError('--keep reads standard input: --keep -');
    const keep = await readOids();
    if (keep.size === 0) {
      throw usageError('The list of oids to keep is empty. To remove all, remove the repository.');
    }
    const isDryRun = !call.options.yes;
    const gone = await withRoot(call, async (root) => {
      const { letGo } = await import('../../../objects/upkeep/let-go.ts');
      const { id } = await requireRepository(root, call.words[0]);
      return letGo(root, id, { isKept: (oid) => keep.has(oid), isDryRun });
    });
    return { ...gone, dry_run: isDryRun };
  },
  *show({ dry_run: isDryRun, ...gone }) {
    yield `${sumOf(gone)} ${isDryRun ? 'would be' : 'were'} let go of.`;
    if (isDryRun) note('Nothing was changed. Add --yes to do it.');
  },
});

/** A line that is no oid must not be passed over: its object would be let go of. */
async function readOids(): Promise<Set<string>> {
  const oids = new Set<string>();
  for await (const line of createInterface({ input: process.stdin })) {
    const text = line.trim();
    if (text !== '') oids.add(checkOid(text));
    if (oids.size > mostOids) throw usageError('The list of oids is too long.');
  }
  return oids;
}

const remove = defineCommand({
  name: 'rm',
  summary: 'let a repository go of objects',
  description: 'Lets a repository go of objects. The bytes go with "objects gc".',
  arguments: '<owner/name> <oid...>',
  options: rootOptions,
  async run(call) {
    const [path, oids] = call.words;
    const wanted = oids.map(checkOid);
    const removed = await withRoot(call, async (root) => {
      const { id } = await requireRepository(root, path);
      const found: string[] = [];
      for (const oid of wanted) if (await root.holdings.remove(id, oid)) found.push(oid);
      return found;
    });
    const absent = wanted.filter((oid) => !removed.includes(oid));
    return { removed, absent };
  },
  isFailure: ({ absent }) => absent.length > 0,
  *show({ removed, absent }, { words: [path] }) {
    yield `${counted(removed.length, 'object')} removed from ${path}.`;
    for (const oid of absent) note(`${path} does not hold ${oid}.`);
  },
});

export const holdingsCommands = [stats, prune, remove];
