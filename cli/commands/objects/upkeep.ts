import type { Command } from 'commander';
import { resolve } from 'node:path';
import { errorCode } from '../../../model/error-code.ts';
import { oidSchema } from '../../../model/objects.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import { note, print, printJson } from '../../terminal/output.ts';
import { forTerminal } from '../../terminal/table.ts';
import { counted, megabytes } from '../../terminal/wording.ts';
import { showBytes } from '../../terminal/byte-progress.ts';
import { requireRepository, withRoot, withRootOptions, type RootOptions } from './with-root.ts';

const dayMs = 86_400_000;
/** Uploads that take long, and people who change their mind, have this much time. */
const defaultGraceDays = 14;
/** A longer list of faults is cut; `--json` has all of it. */
const shownFaults = 20;

/** `waypointd objects fsck|gc|backup|import` */
export function registerUpkeep(objects: Command): void {
  registerFsck(objects);
  registerGc(objects);
  registerBackup(objects);
  registerImport(objects);
}

function registerFsck(objects: Command): void {
  withRootOptions(objects.command('fsck'))
    .summary('check every stored file')
    .description(
      'Reads every stored file and compares it with its hash. A damaged one goes to the quarantine, and the server asks for it again at the next push. The exit code is 1 if anything is wrong.',
    )
    .action(async (options: RootOptions, command: Command) => {
      const outcome = await withRoot(command, options, async (root) => {
        const { checkContents } = await import('../../../objects/upkeep/check.ts');
        const progress = showBytes('Read');
        try {
          return await checkContents(root, progress.show);
        } finally {
          progress.hide();
        }
      });
      if (outcome.faults.length > 0) process.exitCode = 1;
      if (options.json === true) return printJson(outcome);
      await print(`Read ${counted(outcome.contents, 'object')}, ${megabytes(outcome.bytes)}.`);
      if (outcome.faults.length === 0) return print('All are whole.');
      for (const { kind, oid } of outcome.faults.slice(0, shownFaults))
        await print(`${kind}  ${oid}`);
      const more = outcome.faults.length - shownFaults;
      if (more > 0) note(`… and ${more} more (--json lists them)`);
      note('Push them again from a machine that has them.');
    });
}

interface GcOptions extends RootOptions {
  readonly dryRun?: boolean;
  readonly graceDays: string;
}

function registerGc(objects: Command): void {
  withRootOptions(objects.command('gc'))
    .summary('set aside and delete what no repository holds')
    .description(
      'Sets aside (in quarantine/) the files that no repository holds any more, and deletes those that were set aside long enough ago. Never runs by itself.',
    )
    .option('--dry-run', 'only tell what would be done')
    .option('--grace-days <days>', 'how old a file must be for either', String(defaultGraceDays))
    .action(async (options: GcOptions, command: Command) => {
      const days = Number(options.graceDays);
      if (!(days >= 0) || options.graceDays.trim() === '') {
        throw usageError('--grace-days is a number of days.');
      }
      const isDryRun = options.dryRun === true;
      const outcome = await withRoot(command, options, async (root) => {
        const { collectGarbage } = await import('../../../objects/upkeep/collect.ts');
        return collectGarbage(root, { graceMs: days * dayMs, isDryRun, now: Date.now() });
      });
      if (options.json === true) return printJson({ ...outcome, dry_run: isDryRun });
      const { quarantined, quarantinedBytes, deleted, deletedBytes } = outcome;
      const would = isDryRun ? 'would be ' : '';
      await print(
        `${would}set aside: ${counted(quarantined, 'object')}, ${megabytes(quarantinedBytes)}, held by no repository`,
      );
      await print(
        `${would}deleted:   ${counted(deleted, 'object')}, ${megabytes(deletedBytes)}, set aside more than ${counted(days, 'day')} ago`,
      );
    });
}

function registerBackup(objects: Command): void {
  withRootOptions(objects.command('backup <dest>'))
    .summary('copy the store')
    .description(
      'Copies the store to another directory, first the database, then the files that are not there yet. A server may be running. The copy is a store itself: to restore, serve it with --root.',
    )
    .action(async (destination: string, options: RootOptions, command: Command) => {
      const outcome = await withRoot(command, options, async (root) => {
        const target = resolve(destination);
        if (target === resolve(root.path))
          throw usageError('The backup needs a directory of its own.');
        const [{ backUp }, { RootTaken }] = await Promise.all([
          import('../../../objects/upkeep/back-up.ts'),
          import('../../../objects/root.ts'),
        ]);
        const progress = showBytes('Copied');
        try {
          return await backUp(root, target, progress.show);
        } catch (cause) {
          if (!(cause instanceof RootTaken)) throw cause;
          throw new ExitError('A server runs on the backup; it has to be stopped first.', 1, cause);
        } finally {
          progress.hide();
        }
      });
      if (outcome.missing.length > 0) process.exitCode = 1;
      if (options.json === true) return printJson(outcome);
      await print(
        `Copied ${counted(outcome.copied, 'object')} of ${megabytes(outcome.copiedBytes)}; ${outcome.present.toLocaleString('en-US')} were there already.`,
      );
      if (outcome.missing.length > 0) {
        note(
          `${counted(outcome.missing.length, 'object is', 'objects are')} lost in the store itself: "objects fsck" names them.`,
        );
      }
    });
}

function registerImport(objects: Command): void {
  withRootOptions(objects.command('import <owner/name> <dir>'))
    .summary('take in files of a directory')
    .description(
      'Takes every file below a directory into a repository, by its hash: the objects of another git-lfs server (.git/lfs/objects), or any files.',
    )
    .action(async (path: string, dir: string, options: RootOptions, command: Command) => {
      const outcome = await withRoot(command, options, async (root) => {
        const repository = await requireRepository(root, path);
        const { takeIn } = await import('../../../objects/upkeep/take-in.ts');
        const progress = showBytes('Took in');
        try {
          return await takeIn(root, repository, resolve(dir), (_files, bytes) =>
            progress.show(bytes),
          );
        } catch (cause) {
          const code = errorCode(cause);
          if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause;
          throw new ExitError(`There is no directory ${forTerminal(dir)}.`, 1, cause);
        } finally {
          progress.hide();
        }
      });
      if (outcome.failed.length > 0) process.exitCode = 1;
      if (options.json === true) return printJson(outcome);
      await print(
        `Took in ${counted(outcome.added, 'object')} of ${megabytes(outcome.addedBytes)}; ${outcome.present.toLocaleString('en-US')} were there already.`,
      );
      for (const file of outcome.failed.slice(0, shownFaults)) {
        note(`could not be read: ${forTerminal(file)}`);
      }
    });
}

/** @throws ExitError for what is no oid. */
export function checkOid(text: string): string {
  if (oidSchema.safeParse(text).success) return text;
  throw usageError('An oid has 64 lower-case hexadecimal digits.');
}
