import { resolve } from 'node:path';
import type { Move } from '../../../objects/upkeep/migrate.ts';
import { ExitError, usageError } from '../../../model/exit-error.ts';
import type { CommandContext } from '../../program/context.ts';
import { defineCommand, type OptionValues } from '../../program/command.ts';
import { note } from '../../terminal/output.ts';
import { withByteCount } from '../../terminal/progress-bar.ts';
import { counted } from '../../terminal/text.ts';
import { movedLine } from './upkeep.ts';
import { objectsContext, rootOptions, withRoot } from './with-root.ts';

const options = {
  ...rootOptions,
  '--to-store <file|s3>':
    'copy contents to the directory of the store, or the bucket of objects_s3_…',
  '--to-database <sqlite|file>':
    'copy rows to the directory, or the database whose URL the file holds',
} as const;

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'copy the store to a bucket, to PostgreSQL, or back',
  description:
    'Copies contents, rows or both from where the settings say they live to another place; each content is compared with its hash. What was there stays and may be served meanwhile. Stopped, it goes on where it was; done again, it brings what has come since: do that once more with the server stopped, then change the settings.',
  options,
  examples: ['objects migrate --to-store s3 --to-database /etc/waypointd/database'],
  async run(call) {
    const move = await readMove(call.context, call.options);
    return withRoot(call, async (root) => {
      const { moveStore } = await import('../../../objects/upkeep/migrate.ts');
      const { RootTaken } = await import('../../../objects/root.ts');
      const { storeRefusal } = await import('../../../daemon/objects/store-refusal.ts');
      return withByteCount('Copied', (show) => moveStore(root, move, show)).catch(
        (cause: unknown) => {
          if (!(cause instanceof RootTaken)) throw storeRefusal(cause);
          throw new ExitError('A server has this directory; it has to be stopped first.', 1, cause);
        },
      );
    });
  },
  isFailure: ({ missing }) => missing.length > 0,
  *show({ copied, copiedBytes, present, missing }, { options: { toStore, toDatabase } }) {
    if (toStore !== undefined) yield movedLine('Copied', copied, copiedBytes, present);
    if (toDatabase !== undefined) yield 'Copied the rows.';
    if (missing.length > 0) {
      note(`${counted(missing.length, 'object is', 'objects are')} lost in the store itself.`);
    }
    note('The settings are as they were: objects_store and objects_database say what is served.');
  },
});

/** @throws ExitError */
async function readMove(
  context: CommandContext,
  { root, toStore, toDatabase }: OptionValues<typeof options>,
): Promise<Move> {
  const { settings } = objectsContext(context, { root });
  if (toStore === undefined && toDatabase === undefined) {
    throw usageError('Say where to: --to-store, --to-database or both.');
  }
  if (toStore !== undefined && toStore !== 'file' && toStore !== 's3') {
    throw usageError('--to-store is file or s3.');
  }
  const isInFile = settings.objects_database === 'sqlite';
  const isDatabaseKept = toDatabase !== undefined && (toDatabase === 'sqlite') === isInFile;
  if (toStore === settings.objects_store || isDatabaseKept) {
    throw usageError('The store is of that kind already.');
  }
  const { bucketPlace, databaseUrl } = await import('../../../daemon/objects/store-places.ts');
  const urlOf = (file: string): string => (file === 'sqlite' ? file : databaseUrl(resolve(file)));
  return {
    ...(toStore === undefined
      ? {}
      : { contents: toStore === 's3' ? bucketPlace(settings) : toStore }),
    ...(toDatabase === undefined ? {} : { database: urlOf(toDatabase) }),
  };
}
