import { resolve } from 'node:path';
import { errorCode } from '../../../model/error-code.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { defineCommand } from '../../program/command.ts';
import { note } from '../../terminal/output.ts';
import { counted, forTerminal, megabytes } from '../../terminal/text.ts';
import { withByteCount } from '../../terminal/progress-bar.ts';
import { requireRepository, rootOptions, withRoot } from './with-root.ts';

const dayMs = 86_400_000;
/** Uploads that take long, and people who change their mind, have this much time. */
const defaultGraceDays = 14;
/** A longer list of faults is cut; `--json` has all of it. */
const shownFaults = 20;

/** Counts of moved objects and of those that were there already. */
export function movedLine(verb: string, count: number, bytes: number, present: number): string {
  return `${verb} ${counted(count, 'object')} of ${megabytes(bytes)}; ${present.toLocaleString('en-US')} were there already.`;
}

const fsck = defineCommand({
  name: 'fsck',
  summary: 'check every stored file',
  description:
    'Reads every stored file and compares it with its hash. A damaged one goes to the quarantine, and the server asks for it again at the next push; a whole one that is held but only there comes back. The exit code is 1 if anything is wrong.',
  options: rootOptions,
  run: (call) =>
    withRoot(call, async (root) => {
      const { checkContents } = await import('../../../objects/upkeep/check.ts');
      return withByteCount('Read', (show) => checkContents(root, show));
    }),
  isFailure: ({ faults }) => faults.length > 0,
  *show({ contents, bytes, faults, restored }) {
    yield `Read ${counted(contents, 'object')}, ${megabytes(bytes)}.`;
    if (restored > 0) yield `Brought back from the quarantine: ${counted(restored, 'object')}.`;
    if (faults.length === 0) yield 'All are whole.';
    for (const { kind, oid } of faults.slice(0, shownFaults)) yield `${kind}  ${oid}`;
    const more = faults.length - shownFaults;
    if (more > 0) note(`… and ${more} more (--json lists them)`);
    if (faults.length > 0) note('Push them again from a machine that has them.');
  },
});

const gc = defineCommand({
  name: 'gc',
  summary: 'set aside and delete what no repository holds',
  description:
    'Sets aside (in quarantine/) the files that no repository holds any more, and deletes those that were set aside long enough ago. Never runs by itself.',
  options: {
    ...rootOptions,
    '--dry-run': 'only show what would be done',
    '--grace-days <days>': {
      help: 'how old a file must be for either',
      default: String(defaultGraceDays),
    },
  },
  async run(call) {
    const { graceDays, dryRun: isDryRun } = call.options;
    const days = Number(graceDays);
    if (!(days >= 0) || graceDays.trim() === '') {
      throw usageError('--grace-days is a number of days.');
    }
    const outcome = await withRoot(call, async (root) => {
      const { collectGarbage } = await import('../../../objects/upkeep/collect.ts');
      return collectGarbage(root, { graceMs: days * dayMs, isDryRun, now: Date.now() });
    });
    return { ...outcome, dry_run: isDryRun };
  },
  *show({ dry_run: isDryRun, ...outcome }, { options: { graceDays } }) {
    const { quarantined, quarantinedBytes, deleted, deletedBytes } = outcome;
    const would = isDryRun ? 'would be ' : '';
    yield `${would}set aside: ${counted(quarantined, 'object')}, ${megabytes(quarantinedBytes)}, held by no repository`;
    yield `${would}deleted:   ${counted(deleted, 'object')}, ${megabytes(deletedBytes)}, set aside more than ${counted(Number(graceDays), 'day')} ago`;
  },
});

const backup = defineCommand({
  name: 'backup',
  summary: 'copy the store',
  description:
    'Copies the store to another directory, first the database, then the files that are not there yet. A server may be running. The copy is a store itself: to restore, serve it with --root.',
  arguments: '<dest>',
  options: rootOptions,
  run(call) {
    const target = resolve(call.words[0]);
    return withRoot(call, async (root) => {
      if (target === resolve(root.path)) {
        throw usageError('The backup needs a directory of its own.');
      }
      const { backUp } = await import('../../../objects/upkeep/back-up.ts');
      const { RootTaken } = await import('../../../objects/root.ts');
      const { ObjectsRefused } = await import('../../../storage/objects/open.ts');
      return withByteCount('Copied', (show) => backUp(root, target, show)).catch(
        (cause: unknown) => {
          const isForeign = cause instanceof ObjectsRefused;
          if (!isForeign && !(cause instanceof RootTaken)) throw cause;
          const reason = isForeign
            ? `${forTerminal(target)} is another object store, or its backup.`
            : 'A server runs on the backup; it has to be stopped first.';
          throw new ExitError(reason, 1, cause);
        },
      );
    });
  },
  isFailure: ({ missing }) => missing.length > 0,
  *show({ copied, copiedBytes, present, missing }) {
    yield movedLine('Copied', copied, copiedBytes, present);
    if (missing.length > 0) {
      note(
        `${counted(missing.length, 'object is', 'objects are')} lost in the store itself: "objects fsck" names them.`,
      );
    }
  },
});

const importFiles = defineCommand({
  name: 'import',
  summary: 'add the files of a directory',
  description:
    'Takes every file below a directory into a repository, by its hash: the objects of another git-lfs server (.git/lfs/objects), or any files.',
  arguments: '<owner/name> <dir>',
  options: rootOptions,
  run(call) {
    const [path, dir] = call.words;
    return withRoot(call, async (root) => {
      const repository = await requireRepository(root, path);
      const { takeIn } = await import('../../../objects/upkeep/take-in.ts');
      return withByteCount('Took in', (show) => takeIn(root, repository, resolve(dir), show)).catch(
        (cause: unknown) => {
          if (!['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')) throw cause;
          throw new ExitError(`There is no directory ${forTerminal(dir)}.`, 1, cause);
        },
      );
    });
  },
  isFailure: ({ failed }) => failed.length > 0,
  *show({ added, addedBytes, present, failed }) {
    yield movedLine('Took in', added, addedBytes, present);
    for (const file of failed.slice(0, shownFaults)) {
      note(`could not be read: ${forTerminal(file)}`);
    }
  },
});

export const upkeepCommands = [fsck, gc, backup, importFiles];
