import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { computePaths, type Paths } from '../../daemon/paths.ts';
import { programVersion } from '../../daemon/version-info.ts';
import type { BackupContent } from '../../model/backup.ts';
import { ExitError } from '../../model/exit-error.ts';
import { stampOf } from '../../model/time.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import { defineCommand } from '../program/command.ts';
import { findDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { isForbidden, notWritten } from '../terminal/access.ts';
import { note } from '../terminal/output.ts';
import { withByteCount } from '../terminal/progress-bar.ts';
import { counted, forTerminal, megabytes } from '../terminal/text.ts';

/** A daemon that was started with other settings has its data elsewhere. */
async function pathsInUse(context: CommandContext): Promise<Paths> {
  const { paths, resolved } = context;
  const data = (await findDaemon(context))?.handOver.data_dir;
  if (data === undefined || data === paths.data) return paths;
  return computePaths({ ...resolved.settings, data_dir: data }, { configFile: paths.configFile });
}

/** Pieces and files by the thousand would have V8 keep twenty times the room for what is young, and collect the old late. */
function holdLittle(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
}

function summaryOf(file: string, { files, bytes, imports, created_at: made }: BackupContent) {
  return { file, created_at: made, files, bytes, imports };
}

const create = defineCommand({
  name: 'create',
  summary: 'write everything of yours into one file',
  description:
    'Writes bookmarks, tags, search history, the bookmarks file, the configuration and the imported files into one tar file that only you can read, and reads it back to check it. A daemon may run meanwhile. Without a name the file is made in the current directory. Files that cannot be read, and names that have a backslash or are not UTF-8, are told and left out; the exit code is then 1.',
  arguments: '[file]',
  options: { '--no-imports': 'leave the imported files out' },
  async run({ words, options, context }) {
    const now = Date.now();
    const given = resolve(words[0] ?? '.');
    const target =
      existsSync(given) && statSync(given).isDirectory()
        ? join(given, `waypointd-backup-${stampOf(now)}.tar`)
        : given;
    const places = await pathsInUse(context);
    const { createBackup } = await import('../../storage/backup/create.ts');
    holdLittle();
    const content = await withByteCount('Copied', (onBytes) =>
      createBackup({
        places,
        target,
        withImports: options.imports,
        withHistory: true,
        version: programVersion(),
        now,
        onBytes,
      }),
    ).catch((error: unknown) => {
      throw notWritten(target, error);
    });
    return { ...summaryOf(target, content), left_out: content.leftOut };
  },
  isFailure: ({ left_out: leftOut }) => leftOut.length > 0,
  *show({ file, files, bytes, imports, left_out: leftOut }) {
    yield `Wrote and checked ${file}: ${counted(files, 'file')}, ${megabytes(bytes)}.`;
    if (!imports) note('The imported files are not in it.');
    for (const name of leftOut)
      note(
        `Not in it, as it cannot be read, or its name has a backslash or is not UTF-8: imports/${forTerminal(name)}; mend that, and make another.`,
      );
  },
});

const list = defineCommand({
  name: 'list',
  summary: 'list the backups that the daemon makes by itself',
  description:
    'Lists the small backups that the daemon makes on each day on which something changed: bookmarks, tags, the bookmarks file and the configuration, without imported files and search history; those of 7 days, and of 4 weeks before.',
  async run({ context }) {
    const { backups } = await pathsInUse(context);
    const { rollingBackups } = await import('../../storage/backup/rolling.ts');
    if (!existsSync(backups)) return [];
    return rollingBackups(backups).map((name) => {
      const file = join(backups, name);
      const { size, mtimeMs } = statSync(file);
      return { file, bytes: size, created_at: new Date(mtimeMs).toISOString() };
    });
  },
  *show(found) {
    if (found.length === 0) note('There is none yet: a daemon makes them while it runs.');
    for (const { file, bytes, created_at: made } of found)
      yield `${made.slice(0, 10)}  ${megabytes(bytes).padStart(9)}  ${file}`;
  },
});

const verify = defineCommand({
  name: 'verify',
  summary: 'check a backup without restoring it',
  description:
    'Reads a backup to its end, compares each file with its hash, and checks the store in it as a start does.',
  arguments: '<file>',
  async run({ words }) {
    const file = readable(words[0]);
    holdLittle();
    const { verifyBackup } = await import('../../storage/backup/restore.ts');
    return summaryOf(file, await withByteCount('Read', (show) => verifyBackup(file, show)));
  },
  *show({ created_at: made, files, bytes, imports }) {
    yield `Whole: ${counted(files, 'file')}, ${megabytes(bytes)}, made on ${made.slice(0, 10)}${imports ? '' : ', without the imported files'}.`;
  },
});

const restore = defineCommand({
  name: 'restore',
  summary: 'put a backup in the place of what is here',
  description:
    'Checks a backup, then puts it in the place of the data directory; no daemon may run there. What was here is kept in backups/. A backup without imported files leaves those that are here. The configuration is restored where there is none.',
  arguments: '<file>',
  async run({ words, context }) {
    const file = readable(words[0]);
    const { paths } = context;
    createPrivateDirectory(paths.data);
    const { lockFileFault, refusal } = await import('../../daemon/faults.ts');
    const fault = lockFileFault(paths);
    if (fault !== undefined) throw refusal(fault);
    const { lockDirectory } = await import('../../storage/lock.ts');
    using lock = lockDirectory(paths.lockDatabase);
    if (lock === undefined) {
      const { findLockHolder } = await import('../../daemon/lock-holder.ts');
      const pid = (await findLockHolder(paths))?.pid;
      const who = `A waypointd${pid === undefined ? '' : ` (process ${pid})`}`;
      throw new ExitError(`${who} uses ${paths.data}; stop it first. Nothing was restored.`, 75);
    }
    holdLittle();
    const { restoreBackup } = await import('../../storage/backup/restore.ts');
    const { content, ...rest } = await withByteCount('Read', (show) =>
      restoreBackup(file, paths, Date.now(), show),
    );
    return { ...summaryOf(file, content), ...rest, data_dir: paths.data };
  },
  *show({ files, bytes, data_dir: data, set_aside: aside, config_beside: beside }) {
    yield `Restored ${counted(files, 'file')}, ${megabytes(bytes)}, to ${data}.`;
    if (aside !== undefined) note(`What was here before is in ${aside}`);
    if (beside !== undefined) note(`Its configuration is not in use; it is in ${beside}`);
  },
});

function readable(word: string): string {
  const file = resolve(word);
  if (!existsSync(file)) throw new ExitError(`There is no file ${forTerminal(file)}.`);
  if (isForbidden('read', file)) throw new ExitError(`${forTerminal(file)} cannot be read.`);
  return file;
}

export const command = defineCommand({
  name: 'backup',
  summary: 'write all your data into one file, and restore it',
  description: 'Makes, checks and restores backups.',
  commands: [create, list, verify, restore],
});
