import { changeWords } from '../../model/change-words.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { limits } from '../../model/limits.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { invocation } from '../terminal/invocation.ts';

/** `waypointd undo` */
export const command = defineCommand({
  name: 'undo',
  summary: 'take a change back',
  description:
    'Takes a change of the last 30 days back: the newest that was not taken back, or the one with this number. The number it answers with takes that back in turn.',
  arguments: '[id]',
  examples: ['undo', 'undo 17'],
  run({ context, words: [id] }) {
    if (id !== undefined && !/^[1-9]\d*$/u.test(id)) {
      throw usageError('The number of a change is a whole number; "changes" lists them.');
    }
    return withDaemon({ context, needsLibrary: true }, async (client) => {
      return client.undoChange(id === undefined ? await newest(client) : Number(id));
    });
  },
  show: ({ undone, kind, change }) =>
    `Took change ${undone} back (${changeWords[kind]}). This is change ${change}.`,
});

/** The newest change that stands, those that took others back aside. */
async function newest(client: DaemonClient): Promise<number> {
  let cursor: number | undefined;
  do {
    const page = await client.getChanges({ limit: limits.changesMax, cursor });
    const found = page.changes.find(({ kind, undone }) => kind !== 'undo' && !undone);
    if (found?.undoable === false) {
      const what = `${found.id} (${changeWords[found.kind]})`;
      throw new ExitError(
        `The newest change, ${what}, cannot be taken back. "${invocation()} changes" lists the others; "undo ID" takes one of them back.`,
      );
    }
    if (found !== undefined) return found.id;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  throw new ExitError('There is nothing to take back.');
}
