import type { Command } from 'commander';
import type { ObjectsRoot } from '../../../objects/root.ts';
import { usageError } from '../../../model/exit-error.ts';
import { note, print, printJson } from '../../terminal/output.ts';
import { counted, megabytes } from '../../terminal/wording.ts';
import { checkOid } from './upkeep.ts';
import { requireRepository, withRoot, withRootOptions, type RootOptions } from './with-root.ts';

const dayMs = 86_400_000;
/** A list of oids to keep is one line each. */
const maxKeepBytes = 512 * 1_048_576;

/** `waypointd objects stats|prune|rm` */
export function registerHoldings(objects: Command): void {
  registerStats(objects);
  registerPrune(objects);
  registerRemove(objects);
}

function registerStats(objects: Command): void {
  withRootOptions(objects.command('stats'))
    .summary('tell how much is stored, sent and received')
    .description('Tells how much is stored, and how much was moved today and in the last 30 days.')
    .action(async (options: RootOptions, command: Command) => {
      const stats = await withRoot(command, options, readStats);
      if (options.json === true) return printJson(stats);
      const { stored, quarantine, repositories } = stats;
      await print(
        `${counted(stored.objects, 'object')} of ${megabytes(stored.bytes)} on the disk, ${counted(quarantine.objects, 'object')} of ${megabytes(quarantine.bytes)} in quarantine`,
      );
      for (const { repository, objects: count, bytes, today, month } of repositories) {
        await print(
          `${repository}: ${counted(count, 'object')} of ${megabytes(bytes)}; sent ${megabytes(today.sent)} today, ${megabytes(month.sent)} in 30 days; received ${megabytes(today.received)} and ${megabytes(month.received)}`,
        );
      }
    });
}

async function readStats({ contents, directory, holdings, freeBytes }: ObjectsRoot) {
  const stored = { objects: 0, bytes: 0 };
  for await (const { size } of contents.list()) {
    stored.objects += 1;
    stored.bytes += size;
  }
  const quarantined = await contents.listQuarantine();
  const today = Math.floor(Date.now() / dayMs);
  const rows = await directory.repositories();
  return {
    stored,
    quarantine: {
      objects: quarantined.length,
      bytes: quarantined.reduce((sum, { size }) => sum + size, 0),
    },
    free_bytes: await freeBytes(),
    repositories: await Promise.all(
      rows.map(async ({ id, owner, name, objects, bytes }) => ({
        repository: `${owner}/${name}`,
        objects,
        bytes,
        today: await holdings.trafficSince(id, today),
        month: await holdings.trafficSince(id, today - 29),
      })),
    ),
  };
}

interface PruneOptions extends RootOptions {
  readonly keep: string;
  readonly yes?: boolean;
}

function registerPrune(objects: Command): void {
  withRootOptions(objects.command('prune <owner/name>'))
    .summary('let a repository go of all but the listed objects')
    .description(
      'Lets a repository go of all objects but those listed on standard input, one oid a line. Tells what it would do unless --yes is given. The bytes go with "objects gc".',
    )
    .requiredOption('--keep <file>', 'the list of oids to keep: - for standard input')
    .option('--yes', 'really do it')
    .addHelpText(
      'after',
      '\nExample, in a clone with all branches:\n  git lfs ls-files --all --long | cut -d" " -f1 | waypointd objects prune club/maps --keep -',
    )
    .action(async (path: string, options: PruneOptions, command: Command) => {
      if (options.keep !== '-') throw usageError('--keep reads standard input: --keep -');
      const keep = await readOids();
      if (keep.size === 0) {
        throw usageError(
          'The list of oids to keep is empty. To remove all, remove the repository.',
        );
      }
      const isDryRun = options.yes !== true;
      const gone = await withRoot(command, options, async (root) => {
        const { letGo } = await import('../../../objects/upkeep/let-go.ts');
        const { id } = await requireRepository(root, path);
        return letGo(root, id, { isKept: (oid) => keep.has(oid), isDryRun });
      });
      if (options.json === true) return printJson({ ...gone, dry_run: isDryRun });
      const verb = isDryRun ? 'would be' : 'were';
      await print(
        `${counted(gone.objects, 'object')} of ${megabytes(gone.bytes)} ${verb} let go of.`,
      );
      if (isDryRun) note('Nothing was changed. Add --yes to do it.');
    });
}

async function readOids(): Promise<Set<string>> {
  const oids = new Set<string>();
  let [rest, bytes] = ['', 0];
  for await (const piece of process.stdin.setEncoding('utf8')) {
    bytes += (piece as string).length;
    if (bytes > maxKeepBytes) throw usageError('The list of oids is too long.');
    const lines = (rest + (piece as string)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) addOid(oids, line);
  }
  addOid(oids, rest);
  return oids;
}

/** A line that is no oid must not be passed over: its object would be let go of. */
function addOid(oids: Set<string>, line: string): void {
  const text = line.trim();
  if (text !== '') oids.add(checkOid(text));
}

function registerRemove(objects: Command): void {
  withRootOptions(objects.command('rm <owner/name> <oid...>'))
    .summary('let a repository go of objects')
    .description('Lets a repository go of objects. The bytes go with "objects gc".')
    .action(async (path: string, oids: string[], options: RootOptions, command: Command) => {
      const wanted = oids.map(checkOid);
      const removed = await withRoot(command, options, async (root) => {
        const { id } = await requireRepository(root, path);
        const found: string[] = [];
        for (const oid of wanted) if (await root.holdings.remove(id, oid)) found.push(oid);
        return found;
      });
      const absent = wanted.filter((oid) => !removed.includes(oid));
      if (absent.length > 0) process.exitCode = 1;
      if (options.json === true) return printJson({ removed, absent });
      await print(`${counted(removed.length, 'object')} removed from ${path}.`);
      for (const oid of absent) note(`${path} does not hold ${oid}.`);
    });
}
