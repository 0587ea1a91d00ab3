import { changeWords } from '../../model/change-words.ts';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { limits } from '../../model/limits.ts';
import { defineCommand } from '../program/command.ts';
import { withDaemon } from '../program/connection.ts';
import type { DaemonClient } from '../program/daemon-client.ts';
import { invocation } from '../terminal/invocation.ts';
import { subjectOf } from './changes.ts';

export const command = defineCommand({
  name: 'undo',
  summary: 'undo a change',
  description:
    'Undoes a change of the last 30 days: the newest that still stands, or the one with this number. An undo can be undone by its own number.',
  arguments: '[id]',
  examples: ['undo', 'undo 17'],
  run({ context, words: [id] }) {
    if (id !== undefined && !/^[1-9]\d*$/u.test(id)) {
      throw usageError('The number of a change is a whole number; "changes" lists them.');
    }
    return withDaemon({ context, needsLibrary: true }, async (client) => {
      const undone = await client.undoChange(id === undefined ? await newest(client) : Number(id));
      const cursor = undone.undone + 1;
      const { changes } = await client.getChanges({ limit: 1, cursor, details: true });
      return { ...undone, subject: changes[0] === undefined ? '' : subjectOf(changes[0]) };
    });
  },
  json: ({ undone, kind, count, change }) => ({ undone, kind, count, change }),
  show({ undone, kind, change, subject }) {
    const what = subject === '' ? changeWords[kind] : `${changeWords[kind]}: ${subject}`;
    return `Undone: change ${undone} (${what}). "${invocation()} undo ${change}" reverses this.`;
  },
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
        `The newest change, ${what}, cannot be undone. "${invocation()} changes" lists the others; "undo ID" undoes one of them.`,
      );
    }
    if (found !== undefined) return found.id;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  throw new ExitError('There is nothing to undo.');
}
